// Builds, then runs every script of package.json that is called check:…, two at a time, and prints one line for each.
// What a check printed is shown only where it failed, and all of them run even if one fails, so that one round tells
// everything.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const waiting = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const failed = [];
const env = { ...process.env, NO_COLOR: '1' };

await step('build');
await Promise.all([worker(), worker()]);
for (const { name, output } of failed) console.log(`\n--- npm run ${name}\n\n${output.trim()}`);
if (failed.length > 0) {
  console.log(
    `\ncheck: ${failed.length} failed: ${failed.map(({ name }) => name).join(', ')}. npm run format repairs the layout.`,
  );
  process.exitCode = 1;
}

async function worker() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await step(name);
}

async function step(name) {
  const start = performance.now();
  const { ok, output } = await run(name);
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(14)} ${((performance.now() - start) / 1000).toFixed(1)} s`);
  if (!ok) failed.push({ name, output });
}

function run(name) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'], env });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (status) => resolve({ ok: status === 0, output }));
  });
}
