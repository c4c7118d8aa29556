/**
 * Processes in Linux namespaces of their own, for faults that need one: another numbering of processes, another
 * monotonic clock, another mount.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';

/** The arguments by which this user may run a command in new namespaces, or undefined if he may not. */
function find(): readonly string[] | undefined {
  for (const user of [[], ['--user', '--map-root-user']]) {
    const flags = [...user, '--pid', '--mount', '--time', '--fork', '--kill-child'];
    if (spawnSync('unshare', [...flags, 'true']).status === 0) return user;
  }
  return undefined;
}

const user = process.platform === 'linux' ? find() : undefined;

export const hasNamespaces: boolean = user !== undefined;

/** How to start Node in new namespaces; for `fork`. The process ends with the one that started it. */
export function inNamespaces(...flags: readonly string[]): { readonly execPath: string; readonly execArgv: string[] } {
  return {
    execPath: 'unshare',
    execArgv: [...(user ?? []), '--fork', '--kill-child', ...flags, process.execPath],
  };
}

/** How to start Node where `script`, a line of shell, has been run as root of new namespaces before. */
export function afterScript(script: string): { readonly execPath: string; readonly execArgv: string[] } {
  const line = `${script} && exec "$0" "$@"`;
  return {
    execPath: 'unshare',
    execArgv: [...(user ?? []), '--mount', '--fork', '--kill-child', 'sh', '-c', line, process.execPath],
  };
}
