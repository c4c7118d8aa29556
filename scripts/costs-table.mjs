// The tables of docs/lab/costs.md, from a stored run: what a lock costs at a distance, and with many who wait.
//   npx holdfast checkup distance herd --json run.json; npm run lab:costs -- run.json
import { readFileSync } from 'node:fs';
import path from 'node:path';

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: npm run lab:costs -- run.json');
  process.exit(64);
}
const run = JSON.parse(readFileSync(path.resolve(process.env.INIT_CWD ?? '.', file), 'utf8'));
const { machine, results } = run;
const measured = (kind) =>
  results.filter(({ experiment, verdict }) => experiment.split('-')[0] === kind && verdict !== 'not-run');

function table(title, columns, rows) {
  if (rows.length === 0) return;
  console.log(`\n### ${title}\n\n| ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length)}`);
  for (const row of rows) console.log(`| ${row.map((cell) => cell ?? '').join(' | ')} |`);
}

console.log(
  `${run.startedAt.slice(0, 10)}: ${machine.servers.join(', ')}, node ${machine.node}, ${machine.cpus} cores`,
);
table(
  'At a distance',
  ['experiment', 'lock', 'a round trip, ms', 'a pair, ms', 'in round trips', 'a hand-over, ms', 'in round trips'],
  measured('distance').map(({ experiment, subject, figures: f }) => [
    experiment,
    `\`${subject}\``,
    f.roundTripMs,
    f.pairMs,
    f.pairRoundTrips,
    f.handOverMs,
    f.handOverRoundTrips,
  ]),
);
table(
  'With many who wait',
  ['experiment', 'lock', 'waiters', 'requests a hand-over', 'woken for one', 'a hand-over, ms', 'out of turn'],
  measured('herd').map(({ experiment, subject, figures: f }) => [
    experiment,
    `\`${subject}\``,
    f.waiters,
    f.commandsPerHandover,
    f.wakeUpsPerRelease,
    f.handOverMs,
    f.inversions,
  ]),
);
