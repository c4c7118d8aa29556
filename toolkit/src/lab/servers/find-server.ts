/**
 * Where a server's program is, or why it cannot be started and what would help on this system.
 *
 * @module
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
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
  '/usr/local/opt/redis/bin',
  '/home/linuxbrew/.linuxbrew/bin',
];

export type ServerProgram = { readonly file: string } | { readonly missing: string };

/** Redis, which is also its own Sentinel. `HOLDFAST_REDIS_SERVER` names a program to use in place of what is found. */
export function findRedisServer(env: NodeJS.ProcessEnv = process.env): ServerProgram {
  const named = env.HOLDFAST_REDIS_SERVER;
  if (named) {
    if (isExecutable(named)) return { file: named };
    return { missing: `HOLDFAST_REDIS_SERVER is ${named}, which is not an executable file.` };
  }
  const folders = [...(env.PATH ?? '').split(path.delimiter).filter(Boolean), ...KNOWN_PLACES];
  const file = folders.map((folder) => path.join(folder, 'redis-server')).find(isExecutable);
  if (file) return { file };
  return { missing: `redis-server is not installed. ${installHint(process.platform, isExecutable)}` };
}

/** One command that installs it here. */
function installHint(platform: NodeJS.Platform, executable: (file: string) => boolean): string {
  if (inRepository()) return 'To install it: npm run setup';
  if (platform === 'darwin') return 'To install it: brew install redis';
  if (executable('/usr/bin/apt-get')) {
    return `To install it: ${process.getuid?.() === 0 ? '' : 'sudo '}apt-get install -y redis-server`;
  }
  return 'Install it with the package manager of this system, or name its program in HOLDFAST_REDIS_SERVER.';
}

/** Whether this is the project's own working tree, which has a script that installs everything. */
function inRepository(): boolean {
  const root = fileURLToPath(new URL('../../../../', import.meta.url));
  return existsSync(path.join(root, 'scripts', 'setup.mjs')) && existsSync(path.join(root, 'toolkit', 'package.json'));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
