// Measures the locks of others beside ours, on the same servers and in the same rounds: each file in peers/ is one of
// them. Installs what they need into peers/ first, where it is missing or out of date. Arguments go to `holdfast bench`.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const peers = path.join(root, 'peers');

if (!isInstalled()) {
  process.stderr.write('bench: installing the packages of others into peers/node_modules\n');
  // Their install scripts are not run: none of them needs one.
  run('npm', ['ci', '--prefix', peers, '--ignore-scripts', '--no-fund', '--no-audit'], ['ignore', 2, 2]);
}
const files = readdirSync(peers).filter((file) => file.endsWith('.mjs'));
const subjects = files.flatMap((file) => ['--subject', path.join('peers', file)]);
const bin = path.join(root, 'toolkit/bin/holdfast.js');
const args = [bin, 'bench', '--as', 'npm run bench:peers', ...subjects, ...process.argv.slice(2)];
run(process.execPath, args, 'inherit');

/** Whether each package stands there in the version that package.json names. */
function isInstalled() {
  const { dependencies } = JSON.parse(readFileSync(path.join(peers, 'package.json'), 'utf8'));
  return Object.entries(dependencies).every(([name, version]) => {
    const manifest = path.join(peers, 'node_modules', name, 'package.json');
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version;
  });
}

function run(file, args, stdio) {
  const { status, signal, error } = spawnSync(file, args, { cwd: root, stdio });
  if (error) throw error;
  if (status !== 0 || signal !== null) process.exit(status ?? 1);
}
