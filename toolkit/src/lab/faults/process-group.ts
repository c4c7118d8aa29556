/**
 * A holder with all that it has started: they are one group of processes, since the reaper begins one for each holder.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The processes of the group that this process leads, itself first; zombies are no longer in it. */
export function processesIn(group: number): readonly number[] {
  const pids = process.platform === 'linux' ? fromProc(group) : fromPs(group);
  return [...pids].sort((one, other) => Number(other === group) - Number(one === group));
}

export function signalGroup(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch {
    // ESRCH: all of it has ended.
  }
}

function fromProc(group: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name of the program stands in parentheses and may contain some.
      const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(pgrp) === group && state !== 'Z' ? [Number(name)] : [];
    } catch {
      return []; // It has ended in between.
    }
  });
}

function fromPs(group: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,pgid=,state='], { encoding: 'utf8' }).trim().split('\n');
  return lines.flatMap((line) => {
    const [pid, pgid, state = ''] = line.trim().split(/\s+/);
    return Number(pgid) === group && !state.startsWith('Z') ? [Number(pid)] : [];
  });
}
