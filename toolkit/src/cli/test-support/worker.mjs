// A command for the tests: it says all the time that it is inside, so that its last line tells when it was last alive,
// even if it is killed. Every process that it starts does the same under its name.
//
//   node worker.mjs <log file> <name> <for ms> [ignore-term] [grandchild]
//
// A line is: <CLOCK_MONOTONIC in ns> <name> enter|inside|told|leave
import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';

const [file, name, forMs, ...wishes] = process.argv.slice(2);
const log = openSync(file, 'a');
const say = (what) => writeSync(log, `${process.hrtime.bigint()} ${name} ${what}\n`);

process.on('SIGTERM', () => {
  say('told');
  if (!wishes.includes('ignore-term')) process.exit(143);
});
if (wishes.includes('grandchild')) {
  spawn(process.execPath, [process.argv[1], file, name, forMs, 'ignore-term'], { stdio: 'ignore' });
}
say('enter');
const until = performance.now() + Number(forMs);
const beat = setInterval(() => {
  if (performance.now() < until) return say('inside');
  say('leave');
  clearInterval(beat);
  process.exit();
}, 2);
