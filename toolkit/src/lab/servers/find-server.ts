/**
 * Where a server's program is, or why it cannot be started and what would help on this system.
 *
 * @module
 */
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Servers stand in sbin for an ordinary user, or in Homebrew's folders, without being on the PATH. */
const KNOWN_PLACES: readonly string[] = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/usr/lib/redis/bin',
  '/opt/homebrew/bin',
  '/opt/homebrew/opt/redis/bin',
  '/opt/homebrew/opt/etcd/bin',
  '/usr/local/opt/redis/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  // One folder a version; the newest first.
  ...versionsIn('/usr/lib/postgresql', 'bin'),
  '/opt/homebrew/opt/postgresql@17/bin',
  '/usr/local/opt/postgresql@17/bin',
];

/** What the lab can start; `redlock` is five of Redis. */
export type ServerKind = 'redis' | 'redlock' | 'etcd' | 'zookeeper' | 'postgres' | 'mysql';

export type ServerProgram =
  | {
      readonly file: string;
      /** Where the program is Java: the jar that it is in. */
      readonly jar?: string;
    }
  | { readonly missing: string };

export type ServerPrograms = Readonly<Record<ServerKind, ServerProgram>>;

export function findServers(env: NodeJS.ProcessEnv = process.env): ServerPrograms {
  return {
    redis: findRedisServer(env),
    redlock: findRedisServer(env),
    etcd: findEtcd(env),
    zookeeper: findZooKeeper(env),
    postgres: findPostgres(env),
    mysql: findMariadb(env),
  };
}

/** Redis, which is also its own Sentinel. `HOLDFAST_REDIS_SERVER` names a program to use in place of what is found. */
export function findRedisServer(env: NodeJS.ProcessEnv = process.env): ServerProgram {
  const packages = { apt: 'redis-server', brew: 'redis' };
  return findProgram('redis-server', { variable: 'HOLDFAST_REDIS_SERVER', packages }, env);
}

/** `HOLDFAST_POSTGRES` names a program to use in place of what is found; initdb stands beside it. */
function findPostgres(env: NodeJS.ProcessEnv): ServerProgram {
  const packages = { apt: 'postgresql', brew: 'postgresql@17' };
  return findProgram('postgres', { variable: 'HOLDFAST_POSTGRES', packages }, env);
}

/** MariaDB, else MySQL. `HOLDFAST_MARIADBD` names a program of either to use in place of what is found. */
function findMariadb(env: NodeJS.ProcessEnv): ServerProgram {
  const packages = { apt: 'mariadb-server', brew: 'mariadb' };
  const found = findProgram('mariadbd', { variable: 'HOLDFAST_MARIADBD', packages }, env);
  if ('file' in found || env.HOLDFAST_MARIADBD) return found;
  const mysqld = findProgram('mysqld', { variable: 'HOLDFAST_MARIADBD', packages }, env);
  return 'file' in mysqld ? mysqld : found;
}

/** `HOLDFAST_ETCD` names a program to use in place of what is found. */
function findEtcd(env: NodeJS.ProcessEnv): ServerProgram {
  return findProgram('etcd', { variable: 'HOLDFAST_ETCD', packages: { apt: 'etcd-server', brew: 'etcd' } }, env);
}

/** Java, and the jar whose manifest names all others. `HOLDFAST_ZOOKEEPER_JAR` names another one. */
function findZooKeeper(env: NodeJS.ProcessEnv): ServerProgram {
  const packages = { apt: 'default-jre-headless libzookeeper-java' };
  const java = findProgram('java', { variable: 'HOLDFAST_JAVA', packages }, env);
  if ('missing' in java) return java;
  const jar = env.HOLDFAST_ZOOKEEPER_JAR || '/usr/share/java/zookeeper.jar';
  if (existsSync(jar)) return { file: java.file, jar };
  return {
    missing: `ZooKeeper is not installed: there is no ${jar}. ${installHint(packages, 'HOLDFAST_ZOOKEEPER_JAR')}`,
  };
}

/** Makes calls into the system of a process slow. */
export function findStrace(env: NodeJS.ProcessEnv = process.env): ServerProgram {
  return findProgram('strace', { variable: 'HOLDFAST_STRACE', packages: { apt: 'strace' } }, env);
}

/** What stands between many clients and few connections of a PostgreSQL. */
export function findPgBouncer(env: NodeJS.ProcessEnv = process.env): ServerProgram {
  const packages = { apt: 'pgbouncer', brew: 'pgbouncer' };
  return findProgram('pgbouncer', { variable: 'HOLDFAST_PGBOUNCER', packages }, env);
}

/** What a package manager calls it; without `brew` it is not to be had there. */
interface Packages {
  readonly apt: string;
  readonly brew?: string;
}

function findProgram(
  name: string,
  { variable, packages }: { readonly variable: string; readonly packages: Packages },
  env: NodeJS.ProcessEnv,
): ServerProgram {
  const named = env[variable];
  if (named) {
    if (isExecutable(named)) return { file: named };
    return { missing: `${variable} is ${named}, which is not an executable file.` };
  }
  const folders = [...(env.PATH ?? '').split(path.delimiter).filter(Boolean), ...KNOWN_PLACES];
  const file = folders.map((folder) => path.join(folder, name)).find(isExecutable);
  return file ? { file } : { missing: `${name} is not installed. ${installHint(packages, variable)}` };
}

/** One command that installs it here. */
function installHint({ apt, brew }: Packages, variable: string): string {
  if (inRepository()) return 'To install it: npm run setup';
  if (process.platform === 'darwin' && brew !== undefined) return `To install it: brew install ${brew}`;
  if (isExecutable('/usr/bin/apt-get')) {
    return `To install it: ${process.getuid?.() === 0 ? '' : 'sudo '}apt-get install -y ${apt}`;
  }
  return `Install it with the package manager of this system, or name it in ${variable}.`;
}

/** Whether this is the project's own working tree, which has a script that installs everything. */
function inRepository(): boolean {
  const root = fileURLToPath(new URL('../../../../', import.meta.url));
  return existsSync(path.join(root, 'scripts', 'setup.mjs')) && existsSync(path.join(root, 'toolkit', 'package.json'));
}

/** Folders such as /usr/lib/postgresql/15/bin. */
function versionsIn(folder: string, inside: string): string[] {
  if (!existsSync(folder)) return [];
  const versions = readdirSync(folder).sort((one, other) => Number(other) - Number(one));
  return versions.map((version) => path.join(folder, version, inside));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
