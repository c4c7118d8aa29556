// Writes the table of guarantees, from what a check-up has found: npm run guarantees [-- run.json]
//
// With a run, what it found about our locks is stored first; without one, the tables are written anew from what is stored.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { merged, tableOf, withTable } from './guarantee-table.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const data = path.join(root, 'docs/lab/guarantees.json');
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));

const [runFile] = process.argv.slice(2);
let locks = read(data);
if (runFile !== undefined) {
  const { claimsOf } = await import('../toolkit/dist/lab/claims.mjs');
  const run = read(path.resolve(process.env.INIT_CWD ?? '.', runFile));
  locks = merged(locks, claimsOf(run), run.startedAt.slice(0, 10));
  writeFileSync(data, `${JSON.stringify(locks, null, 2)}\n`);
  execFileSync('npx', ['biome', 'format', '--write', data], { cwd: root, stdio: 'inherit' });
}
for (const page of ['README.md', 'docs/lab/README.md']) {
  const file = path.join(root, page);
  writeFileSync(file, withTable(readFileSync(file, 'utf8'), tableOf(locks)));
}
