/**
 * Histories written by hand, in milliseconds, for the tests of the checkers.
 *
 * @module
 */
import {
  type FaultAct,
  type Happening,
  type History,
  type HoldId,
  type Line,
  type Outcome,
  toEntries,
} from '../history.ts';

/** When, who, what. */
export type Said = readonly [at: number, by: string, happening: Happening];

/** A whole history: what is handed in between its first and its last line. */
export function history(...parts: readonly (Said | readonly Said[])[]): History {
  return incomplete(...parts, [100_000, 'lab', { f: 'end', type: 'event' }]);
}

/** The same without a last line. */
export function incomplete(...parts: readonly (Said | readonly Said[])[]): History {
  const run: Said = [
    -1_000,
    'lab',
    { f: 'run', type: 'event', format: 1, experiment: 'x', subject: 'y', ttlMs: 3_000 },
  ];
  const said = [run, ...parts.flatMap((part) => (isSaid(part) ? [part] : part))];
  return { entries: toEntries(said.map(lineOf)), unreadable: 0 };
}

function isSaid(part: Said | readonly Said[]): part is Said {
  return typeof part[0] === 'number';
}

function lineOf([at, by, happening]: Said): Line {
  return { t: ns(at), by, pid: 1, ...happening };
}

/** Nanoseconds of some clock that did not start with us. */
function ns(at: number): string {
  return String(BigInt(Math.round((at + 1_000_000) * 1e6)));
}

let lastOperation = 0;

/** `A1` was asked for and granted at once, or from `asked` on. */
export function granted(hold: HoldId, at: number, more: { token?: string; asked?: number } = {}): Said[] {
  const op = ++lastOperation;
  const { asked = at - 1, token } = more;
  return [
    [asked, owner(hold), { f: 'acquire', type: 'invoke', op, name: 'x', ttlMs: 3_000, waitMs: 0 }],
    [at, owner(hold), { f: 'acquire', type: 'ok', op, hold, ...(token === undefined ? {} : { token }) }],
  ];
}

export function refused(by: string, at: number): Said[] {
  const op = ++lastOperation;
  return [
    [at - 1, by, { f: 'acquire', type: 'invoke', op, name: 'x', ttlMs: 3_000, waitMs: 0 }],
    [at, by, { f: 'acquire', type: 'fail', op }],
  ];
}

/** Asked, and nobody knows. */
export function failed(by: string, at: number, error = 'no reply'): Said[] {
  const op = ++lastOperation;
  return [
    [at - 1, by, { f: 'acquire', type: 'invoke', op, name: 'x', ttlMs: 3_000, waitMs: 0 }],
    [at, by, { f: 'acquire', type: 'info', op, error }],
  ];
}

export function released(hold: HoldId, at: number): Said[] {
  const op = ++lastOperation;
  return [
    [at, owner(hold), { f: 'release', type: 'invoke', op, hold }],
    [at + 1, owner(hold), { f: 'release', type: 'ok', op, hold }],
  ];
}

/** The subject says no; it had last said yes at `lastTrue`. */
export function doubts(hold: HoldId, at: number, lastTrue: number): Said {
  return [at, owner(hold), { f: 'belief', type: 'event', hold, believes: false, lastTrue: ns(lastTrue) }];
}

export function believes(hold: HoldId, at: number): Said {
  return [at, owner(hold), { f: 'belief', type: 'event', hold, believes: true, lastTrue: ns(at) }];
}

export function contends(by: string, at: number): Said {
  return [at, by, { f: 'contend', type: 'event', everyMs: 50 }];
}

/** A fault with its proof a millisecond later; without proof where there is none, or a failed one. */
export function fault(
  act: FaultAct,
  target: string,
  at: number,
  proof: 'proven' | 'missing' | 'failed' = 'proven',
): Said[] {
  const op = ++lastOperation;
  const invoke: Said = [at, 'lab', { f: 'fault', type: 'invoke', op, act, target, says: act }];
  if (proof === 'missing') return [invoke];
  return [
    invoke,
    [at + 1, 'lab', { f: 'fault', type: proof === 'proven' ? 'ok' : 'fail', op, act, target, proof: 'seen' }],
  ];
}

/** What the registers said: a version, or the floor that refused. */
type Says = number | { floor: string } | null;

export function reads(seq: number, at: number, hold: HoldId, open: number, guarded: Says = null): Said {
  return served(seq, at, hold, 'read', open, guarded);
}

/** A write that makes these versions, from the versions it is based on. */
export function writes(
  seq: number,
  at: number,
  hold: HoldId,
  {
    open,
    guarded = null,
  }: { open: readonly [basedOn: number, makes: number]; guarded?: readonly [number, Says] | null },
): Said {
  const basedOn = { open: open[0], guarded: guarded?.[0] ?? null };
  return served(seq, at, hold, 'write', open[1], guarded?.[1] ?? null, basedOn);
}

function served(
  seq: number,
  at: number,
  hold: HoldId,
  access: 'read' | 'write',
  open: number,
  guarded: Says,
  basedOn?: { open: number; guarded: number | null },
): Said {
  const outcome = (version: number): Outcome => ({ accepted: true, version, value: version });
  return [
    at,
    'resource',
    {
      f: 'served',
      type: 'event',
      seq,
      access,
      hold,
      ...(basedOn ? { basedOn } : {}),
      open: outcome(open),
      guarded:
        guarded === null ? null : typeof guarded === 'number' ? outcome(guarded) : { accepted: false, ...guarded },
    },
  ];
}

function owner(hold: HoldId): string {
  return hold.charAt(0);
}
