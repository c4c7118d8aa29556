// The table of docs/lab/failover.md: the experiments on failovers and restarts of Redis, again and again, and for each lock
// how often it was lost, kept or refused. `npm run lab:failover -- --rounds 10`
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);
const program = new URL('../toolkit/bin/holdfast.js', import.meta.url).pathname;
const subjects = ['setnx', 'holdfast:redis', 'holdfast:redis+wait', 'holdfast:redis+wait2'];
const experiments = ['failover', 'replica', 'cluster-failover', 'persistence'];

const tally = new Map();
let machine;
for (let round = 1; round <= rounds; round++) {
  const args = ['checkup', ...experiments, ...subjects.flatMap((name) => ['--subject', name]), '--json', '-'];
  // Unknown verdicts and surprises end it with a status of their own; they are counted all the same.
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    maxBuffer: 2 ** 28,
  }).catch((error) => error);
  const run = JSON.parse(stdout);
  machine = run.machine;
  for (const result of run.results) count(result);
  console.error(`round ${round} of ${rounds}`);
}

function count({ experiment, subject, verdict, figures }) {
  if (verdict === 'not-run') return;
  const key = `${experiment} ${subject}`;
  const row = tally.get(key) ?? {
    experiment,
    subject,
    lost: 0,
    kept: 0,
    refused: 0,
    void: 0,
    overlaps: [],
    damaged: 0,
  };
  tally.set(key, row);
  if (verdict === 'unknown') row.void++;
  else if (figures.lockRefused) row.refused++;
  else if (figures.lockKept) row.kept++;
  else row.lost++;
  if (figures.lockKept === false && verdict !== 'unknown') row.overlaps.push(figures.overlapMs ?? 0);
  if (verdict === 'unsafe') row.damaged++;
}

function spread(list) {
  if (list.length === 0) return '';
  const sorted = [...list].sort((a, b) => a - b);
  return `${sorted[sorted.length >> 1]} (${sorted[0]}-${sorted.at(-1)})`;
}

console.log(`${rounds} rounds, ${machine.servers.join(', ')}, node ${machine.node}, ${machine.cpus} cores\n`);
console.log('| experiment | lock | lost | kept | refused | void | both believed, ms | data damaged |');
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const row of tally.values()) {
  const { experiment, subject, lost, kept, refused, void: empty, overlaps, damaged } = row;
  console.log(
    `| ${experiment} | \`${subject}\` | ${lost} | ${kept} | ${refused} | ${empty} | ${spread(overlaps)} | ${damaged} |`,
  );
}
