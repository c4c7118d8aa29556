/**
 * What a vote says about its owner, and what the votes of all servers say about a lock.
 *
 * @module
 */
import type { LockReport } from '../../core/backend.ts';
import { majority, type Vote } from './votes.ts';

/** What a process says about an owner, beside its id and the time: pid, host, and the purpose, if it has one. */
export function describeOwner(pid: number, host: string, purpose: string | undefined): string {
  const who = `${pid} ${host.replaceAll(' ', '_')}`;
  return purpose === undefined ? who : `${who} ${purpose}`;
}

const OURS = /^(\S+) (\d+) (\d+) (\S*)(?: (.*))?$/s;

interface Reading {
  readonly owner: string;
  readonly remainingMs: number;
  readonly value: RegExpExecArray | null;
}

/** The holder that the servers' answers to `inspect` tell of. */
export function readHolder(votes: readonly (Vote | undefined)[]): LockReport['holder'] {
  const readings = votes.map((vote) => (typeof vote === 'string' ? read(vote) : undefined));
  const silent = votes.filter((vote) => typeof vote !== 'string').length;
  const byOwner = group(readings);
  const needed = majority(votes.length);
  const [largest] = [...byOwner.values()].sort((one, other) => other.length - one.length);
  // Who may have a majority, if the servers that do not answer have voted for it, is shown, too: better than nobody.
  if (largest === undefined || largest.length + silent < needed) return null;
  const rests = largest.map(({ remainingMs }) => remainingMs).sort((one, other) => other - one);
  const described = largest.find(({ value }) => value?.[5] !== undefined) ?? (largest[0] as Reading);
  const [, , since, pid, host, purpose] = described.value ?? [];
  return {
    owner: described.owner,
    host,
    pid: pid === undefined ? undefined : Number(pid),
    purpose,
    since: since === undefined ? undefined : new Date(Number(since)),
    fencingToken: undefined,
    // Until so many votes have run out that it has no majority any more.
    remainingMs: rests[needed - 1],
    foreign: described.value === null,
  };
}

function read(answer: string): Reading | undefined {
  const [, kind, rest, text = ''] = /^(\w+) (-?\d+) (.*)$/s.exec(answer) ?? [];
  if (kind === undefined) return undefined;
  const value = kind === 'string' ? OURS.exec(text) : null;
  return { owner: value?.[1] ?? (kind === 'string' ? text : '?'), remainingMs: Number(rest), value };
}

function group(readings: readonly (Reading | undefined)[]): Map<string, Reading[]> {
  const groups = new Map<string, Reading[]>();
  for (const reading of readings) {
    if (reading === undefined) continue;
    const same = groups.get(reading.owner);
    if (same === undefined) groups.set(reading.owner, [reading]);
    else same.push(reading);
  }
  return groups;
}
