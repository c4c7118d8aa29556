// Installs the servers and tools that the tests and the full check-up start: npm run setup [-- --yes | --check]
//
// Plain JavaScript and Node's own modules only, since it must run before anything else does. It installs packages of the
// system and nothing else, asks first unless CI is set or --yes is given, and leaves no server running: the tests start
// their own, on free ports and in temporary folders.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { planInstall, toolsFor } from './setup-plan.mjs';

/** Where servers stand that are installed and not on the PATH: sbin for an ordinary user, Homebrew's own folders. */
const knownPlaces = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/usr/lib/redis/bin',
  '/opt/homebrew/bin',
  '/opt/homebrew/opt/redis/bin',
  '/opt/homebrew/opt/etcd/bin',
  '/usr/local/opt/redis/bin',
  '/usr/local/opt/etcd/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  // One folder a version; the newest first.
  ...versionsIn('/usr/lib/postgresql', 'bin'),
  '/opt/homebrew/opt/postgresql@17/bin',
  '/usr/local/opt/postgresql@17/bin',
];

/** The service that a Debian package starts. */
const serviceOf = {
  'redis-server': 'redis-server',
  'redis-sentinel': 'redis-sentinel',
  'etcd-server': 'etcd',
  postgresql: 'postgresql',
  'mariadb-server': 'mariadb',
  pgbouncer: 'pgbouncer',
};

const usage = `npm run setup              install what is missing, after a question
npm run setup -- --yes     install it without a question (also when CI is set)
npm run setup -- --check   only say what is there; exit status 1 if something is missing`;

const args = process.argv.slice(2);
const unknown = args.filter((arg) => !['--yes', '--check', '--help'].includes(arg));
if (unknown.length > 0 || args.includes('--help')) {
  console.error(unknown.length > 0 ? `setup: unknown option ${unknown.join(' ')}\n${usage}` : usage);
  process.exit(unknown.length > 0 ? 64 : 0);
}
process.exitCode = await main();

async function main() {
  const wanted = toolsFor(process.platform);
  for (const tool of wanted) console.log(line(tool));
  const missing = wanted.filter((tool) => !find(tool));
  if (missing.length === 0) {
    console.log('Everything is there.');
    return 0;
  }
  if (args.includes('--check')) {
    console.log(`${missing.length} missing. npm run setup installs them.`);
    return 1;
  }

  const plan = planInstall({
    platform: process.platform,
    missing,
    manager: ['apt-get', 'brew'].find((name) => find({ name })),
    isRoot: process.getuid?.() === 0,
    hasSudo: find({ name: 'sudo' }) !== undefined,
  });
  if (plan.problem) return fail(plan.problem);

  console.log(`\nTo be installed: ${plan.packages.join(' ')}`);
  const shown = plan.commands.map((command) => `  ${command.join(' ')}`).join('\n');
  if (!(await agreed(shown))) return 1;

  const status = plan.asRoot ? installWithApt(plan) : installWithBrew(plan);
  if (status !== 0) return fail(`The package manager ended with status ${status}; its message is above.`);

  const still = wanted.filter((tool) => !find(tool));
  if (still.length > 0) {
    return fail(`The packages are installed, and still not found: ${still.map((tool) => tool.name).join(', ')}.
Looked on the PATH and in ${knownPlaces.join(', ')}.`);
  }
  console.log('');
  for (const tool of missing) console.log(line(tool));
  console.log('Everything is there.');
  return 0;
}

function line(tool) {
  const file = find(tool);
  return `${file ? 'found  ' : 'missing'}  ${tool.name.padEnd(15)} ${file ?? `for ${tool.use}`}`;
}

function fail(message) {
  console.error(`\nsetup: ${message}`);
  return 1;
}

/** The path of the executable file of this name, or of what is no program, or undefined. */
function find({ name, file }) {
  if (file) return existsSync(file) ? file : undefined;
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...knownPlaces].filter(Boolean);
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

/** Folders such as /usr/lib/postgresql/15/bin. */
function versionsIn(folder, inside) {
  if (!existsSync(folder)) return [];
  const versions = readdirSync(folder).sort((one, other) => Number(other) - Number(one));
  return versions.map((version) => path.join(folder, version, inside));
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

async function agreed(commands) {
  if (args.includes('--yes') || (process.env.CI && process.env.CI !== 'false')) return true;
  if (!process.stdin.isTTY) {
    console.error(`\nsetup: nothing was installed, because there is no terminal to ask at. It would have run:\n${commands}
With npm run setup -- --yes (or CI=true) it does.`);
    return false;
  }
  console.log(commands);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Install now? [y/N] ');
  terminal.close();
  if (/^y(es)?$/i.test(answer.trim())) return true;
  console.error('setup: nothing was installed.');
  return false;
}

function installWithBrew(plan) {
  // Homebrew starts no service by itself.
  for (const [command, ...rest] of plan.commands) {
    const status = run(command, rest);
    if (status !== 0) return status;
  }
  return 0;
}

/**
 * Debian's packages start their service as soon as they are installed, and again after each boot. A policy file forbids
 * the first, and what was not there before is switched off for the second; a server that the machine's owner runs
 * stays as it is.
 */
function installWithApt(plan) {
  const services = plan.packages
    .map((name) => serviceOf[name])
    .filter((service) => service && !existsSync(`/lib/systemd/system/${service}.service`));
  const commands = plan.commands.map((command) => command.join(' '));
  const options = '-o DPkg::Lock::Timeout=300';
  const script = `
set -e
export DEBIAN_FRONTEND=noninteractive
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 130' INT TERM HUP
  printf '#!/bin/sh\\nexit 101\\n' > "$policy"
  chmod 755 "$policy"
fi
${listsAreFresh() ? '' : 'apt-get update'}
${commands.map((command) => `${command} ${options} || { apt-get update; ${command} ${options}; }`).join('\n')}
for service in ${services.join(' ')}; do
  if [ -d /run/systemd/system ]; then
    systemctl disable --now "$service" || true
  elif command -v systemctl > /dev/null; then
    systemctl disable "$service" || true
  elif command -v update-rc.d > /dev/null; then
    update-rc.d "$service" disable || true
  fi
done`;
  return process.getuid() === 0 ? run('sh', ['-c', script]) : run('sudo', ['sh', '-c', script]);
}

/** Whether apt knows its packages at all, and from this week. */
function listsAreFresh() {
  try {
    const folder = '/var/lib/apt/lists';
    const lists = readdirSync(folder).filter((name) => name.endsWith('Packages') || name.endsWith('Packages.lz4'));
    const newest = Math.max(...lists.map((name) => statSync(path.join(folder, name)).mtimeMs));
    return statSync(folder).mtimeMs > Date.now() - 7 * 24 * 3_600_000 && Number.isFinite(newest);
  } catch {
    return false;
  }
}

function run(command, rest) {
  const stdin = process.stdin.isTTY ? 'inherit' : 'ignore';
  const done = spawnSync(command, rest, { stdio: [stdin, 'inherit', 'inherit'] });
  if (done.error) console.error(`setup: ${command} could not be started: ${done.error.message}`);
  return done.status ?? 1;
}
