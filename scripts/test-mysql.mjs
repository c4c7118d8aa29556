// Runs the tests of the MySQL backend, of its guard and of the command line on MySQL itself: npm run test:mysql
//
// Debian's releases have MariaDB in its place, and the rest of the tests run on that. Debian's unstable has MySQL: apt
// fetches it with all its libraries into .mysql, with lists and settings of its own, so nothing on the machine is
// touched. HOLDFAST_MYSQLD=/path/to/mysqld runs them on a server that is there already.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = path.join(root, '.mysql');
const launcher = path.join(home, 'mysqld');
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

const mysqld = process.env.HOLDFAST_MYSQLD ?? launcher;
if (mysqld === launcher && !existsSync(launcher)) fetch();
const version = spawnSync(mysqld, ['--no-defaults', '--version'], { encoding: 'utf8' });
if (version.status !== 0) fail(`${mysqld} does not start: ${version.error?.message ?? version.stderr.trim()}`);
console.log(version.stdout.trim().replace(/^.*?Ver/, 'MySQL'));

const vitest = [
  'run',
  '--project=contract',
  '--project=more',
  'backends/mysql/',
  'guards/mysql',
  'sql/silence',
  'commands/databases',
];
const run = spawnSync(process.execPath, [path.join(root, 'node_modules/vitest/vitest.mjs'), ...vitest], {
  cwd: root,
  env: { ...process.env, HOLDFAST_MYSQLD: mysqld, HOLDFAST_MARIADBD: mysqld },
  stdio: 'inherit',
});
process.exitCode = run.status ?? 1;

function fetch() {
  if (process.arch !== 'x64' || !existsSync(keyring)) {
    fail(`MySQL is fetched with Debian's apt, for x64. Elsewhere set HOLDFAST_MYSQLD=/path/to/mysqld (8.0 or later).`);
  }
  console.error(`test:mysql: fetching MySQL from Debian unstable into ${path.relative('', home)} (60 MB)`);
  const apt = path.join(home, 'apt');
  const archives = path.join(apt, 'cache/archives');
  for (const folder of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(path.join(apt, folder), { recursive: true });
  writeFileSync(path.join(apt, 'status'), ''); // nothing is installed, so the libraries come along
  writeFileSync(path.join(apt, 'sources.list'), `deb [signed-by=${keyring}] http://deb.debian.org/debian sid main\n`);
  writeFileSync(
    path.join(apt, 'apt.conf'),
    Object.entries({
      'Dir::State': apt,
      'Dir::State::status': path.join(apt, 'status'),
      'Dir::Cache': path.join(apt, 'cache'),
      'Dir::Etc::sourcelist': path.join(apt, 'sources.list'),
      'Dir::Etc::sourceparts': '/dev/null',
      'Dir::Etc::preferencesparts': '/dev/null',
      'APT::Install-Recommends': 'false',
      'APT::Sandbox::User': '',
    })
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  );
  const env = { ...process.env, APT_CONFIG: path.join(apt, 'apt.conf') };
  must('apt-get', ['-qq', 'update'], env);
  must('apt-get', ['-qq', '--download-only', '--yes', 'install', 'mysql-server-core'], env);
  for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb'))) {
    must('dpkg-deb', ['-x', path.join(archives, file), home]);
  }
  rmSync(apt, { recursive: true, force: true });
  // Its own loader and libraries: those of the machine are older.
  const lib = path.join(home, 'usr/lib/x86_64-linux-gnu');
  writeFileSync(
    launcher,
    `#!/bin/sh
first=$1; shift # --no-defaults has to come first
exec ${lib}/ld-linux-x86-64.so.2 --library-path ${lib} ${home}/usr/sbin/mysqld "$first" \\
  --lc-messages-dir=${home}/usr/share/mysql --plugin-dir=${home}/usr/lib/mysql/plugin "$@"
`,
  );
  chmodSync(launcher, 0o755);
}

function must(command, args, env = process.env) {
  const { status, error } = spawnSync(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0)
    fail(`${command} ${args[0]} failed${error ? `: ${error.message}` : ''}. Remove .mysql and try again.`);
}

function fail(message) {
  console.error(`test:mysql: ${message}`);
  process.exit(1);
}
