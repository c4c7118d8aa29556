/**
 * The processes that a server has started: one for each connection, as PostgreSQL does.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Only on Linux. What has ended in between is left out. */
export function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name of the program stands in parentheses and may contain some.
      const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(ppid) === parent && state !== 'Z' ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
