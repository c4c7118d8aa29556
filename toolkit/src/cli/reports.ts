/**
 * Who holds and who waits, as text and as JSON.
 *
 * @module
 */
import type { LockReport, OwnerReport } from 'holdfast';
import { formatDuration } from './durations.ts';
import { type Column, tableLines } from './table.ts';
import { printable } from './text.ts';

const COLUMNS: readonly Column[] = [
  { title: 'LOCK', atLeast: 12 },
  { title: 'HOLDER', atLeast: 12 },
  { title: 'HELD', align: 'right' },
  { title: 'LEFT', align: 'right' },
  { title: 'WAITING', align: 'right' },
  { title: 'PURPOSE', atLeast: 7 },
];

/** One line for each lock. */
export function listLines(reports: readonly LockReport[], width: number, now: Date): string[] {
  const rows = reports.map(({ name, holder, waiters }) => [
    printable(name),
    holder === null ? '-' : place(holder),
    ago(holder?.since, now),
    holder?.remainingMs === undefined ? '-' : formatDuration(holder.remainingMs),
    String(waiters.length),
    printable(holder?.purpose ?? ''),
  ]);
  return tableLines(COLUMNS, rows, width);
}

/** Everything about one lock. */
export function whoLines({ name, holder, waiters }: LockReport, now: Date): string[] {
  const lines = [printable(name)];
  const say = (label: string, text: string | undefined): void => {
    if (text !== undefined) lines.push(`  ${label.padEnd(9)}${text}`);
  };
  if (holder === null) {
    say('held by', 'nobody');
  } else {
    say('held by', holder.foreign ? `${place(holder)} (not a lock of holdfast's own)` : place(holder));
    say('owner', printable(holder.owner));
    say('since', holder.since && `${holder.since.toISOString()} (${ago(holder.since, now)} ago)`);
    say(
      'left',
      holder.remainingMs === undefined ? undefined : `${formatDuration(holder.remainingMs)}, unless it is renewed`,
    );
    say('token', holder.fencingToken?.toString());
    say('purpose', holder.purpose && printable(holder.purpose));
  }
  say('waiting', waiters.length === 0 ? 'nobody' : `${waiters.length}, in this order:`);
  const rows = waiters.map((waiter, index) => [
    `    ${index + 1}`,
    place(waiter),
    waiter.since === undefined ? '' : `for ${ago(waiter.since, now)}`,
    printable(waiter.purpose ?? ''),
  ]);
  const columns: Column[] = [{ title: '' }, { title: '' }, { title: '' }, { title: '' }];
  return [...lines, ...tableLines(columns, rows, Number.POSITIVE_INFINITY).slice(1)];
}

/** `host:pid`, or as much of it as is known. */
export function place({ host, pid }: Pick<OwnerReport, 'host' | 'pid'>): string {
  if (host === undefined) return pid === undefined ? 'unknown' : `process ${pid}`;
  return pid === undefined ? printable(host) : `${printable(host)}:${pid}`;
}

/** The clock of the backend may run ahead of ours; nobody holds a lock since tomorrow. */
function ago(since: Date | undefined, now: Date): string {
  return since === undefined ? '-' : formatDuration(Math.max(0, now.getTime() - since.getTime()));
}

/** For --json: the same keys always, null for what is not known, the token as a decimal string. */
export function toJson({ name, holder, waiters }: LockReport): object {
  return { lock: name, holder: holderJson(holder), waiters: waiters.map(ownerJson) };
}

export function holderJson(holder: LockReport['holder']): object | null {
  if (holder === null) return null;
  return {
    ...ownerJson(holder),
    fencingToken: holder.fencingToken?.toString() ?? null,
    remainingMs: holder.remainingMs === undefined ? null : Math.round(holder.remainingMs),
    foreign: holder.foreign,
  };
}

function ownerJson({ owner, host, pid, purpose, since }: OwnerReport): object {
  return {
    owner,
    host: host ?? null,
    pid: pid ?? null,
    purpose: purpose ?? null,
    since: since?.toISOString() ?? null,
  };
}
