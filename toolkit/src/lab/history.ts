/**
 * The history of one run: what happened, one JSON object a line, in the order of one clock.
 *
 * Every process of the run appends to the same file, with a synchronous write before the act that the line announces, so
 * that a killed process has said what it was about to do. `t` is CLOCK_MONOTONIC in nanoseconds, which all processes of
 * one machine share. An operation is one `invoke`, then `ok` (it happened), `fail` (it certainly did not) or `info`
 * (nobody knows); an operation without a second line is unknown as well.
 *
 * Three intervals stand in it, and are never mixed: what the server granted (`server`), what the client believed
 * (`acquire`, `belief`, `release`), and what the user's code did (`section`, `read`, `write`, and `served`, which is the
 * protected resource's own word and the truth about effects).
 *
 * @module
 */
import { closeSync, openSync, writeSync } from 'node:fs';

/** Names one acquisition in a history: `A1` is the first hold of process A. */
export type HoldId = string;

/** What a register said to one access. */
export type Outcome =
  | { readonly accepted: true; readonly version: number; readonly value: number }
  | { readonly accepted: false; readonly floor: string };

export type Happening =
  /** The first line: what this run is. */
  | { f: 'run'; type: 'event'; format: 1; experiment: string; subject: string; ttlMs: number }
  /** One question to the subject for the lock. `fail`: it did not get it within `waitMs`. */
  | { f: 'acquire'; type: 'invoke'; op: number; name: string; ttlMs: number; waitMs: number }
  | { f: 'acquire'; type: 'ok'; op: number; hold: HoldId; token?: string }
  | { f: 'acquire'; type: 'fail'; op: number }
  | { f: 'acquire'; type: 'info'; op: number; error: string }
  | { f: 'release'; type: 'invoke'; op: number; hold: HoldId }
  | { f: 'release'; type: 'ok'; op: number; hold: HoldId }
  | { f: 'release'; type: 'info'; op: number; hold: HoldId; error: string }
  /** The subject's own opinion, when it changes and after each gap in asking. `lastTrue`: when it last said yes. */
  | { f: 'belief'; type: 'event'; hold: HoldId; believes: boolean; lastTrue: string }
  /** The user's code goes into what the lock protects, after one look at the lease, and leaves it. */
  | { f: 'section'; type: 'enter' | 'leave'; hold: HoldId }
  /** One access of a holder to the protected resource. */
  | { f: 'read' | 'write'; type: 'invoke' | 'ok'; op: number; hold: HoldId }
  | { f: 'read' | 'write'; type: 'info'; op: number; hold: HoldId; error: string }
  /** The resource's own record of an access, in its order. `guarded` is null for a hold without a token. */
  | {
      f: 'served';
      type: 'event';
      seq: number;
      access: 'read' | 'write';
      hold: HoldId;
      token?: string;
      /** For writes: the version that the holder had read before. */
      basedOn?: { open: number; guarded: number | null };
      open: Outcome;
      guarded: Outcome | null;
    }
  /** What the lab does to a process or a server; `ok` and `fail` say how its effect was proven, or was not. */
  | { f: 'fault'; type: 'invoke'; op: number; act: FaultAct; target: string; says: string }
  | { f: 'fault'; type: 'ok' | 'fail'; op: number; act: FaultAct; target: string; proof: string }
  /** What a server of the lab did, as it was told to the lab. */
  | { f: 'server'; type: 'event'; event: string; key?: string; says?: string }
  /** The holder was not given a lock that nobody holds, and was told why. */
  | { f: 'refused'; type: 'event'; error: string }
  /** The rival starts to ask for the lock, again and again; with `everyMs` 0 it asks once and waits. */
  | { f: 'contend'; type: 'event'; everyMs: number }
  /** The lock states that waiters are served in the order in which they came. */
  | { f: 'order-promised'; type: 'event' }
  /**
   * This one waits, through this client. `seen`: the server has been seen to know of it, and before that of all who came
   * earlier; else only its own process knows that it waits.
   */
  | { f: 'lined-up'; type: 'event'; client: string; seen: boolean }
  /** How long a message to the servers and its answer took, where they are at a distance. */
  | { f: 'round-trip'; type: 'event'; tookMs: number }
  /** What the servers had done by now, by their own count. */
  | { f: 'counted'; type: 'event'; requests: number; watchesAnswered?: number }
  /** The subject did what the contract does not allow, or a process ended that should not have. */
  | { f: 'trouble'; type: 'event'; error: string }
  /** The last line: the run came to its end. */
  | { f: 'end'; type: 'event' };

export type FaultAct = 'kill' | 'stop' | 'continue' | 'cut' | 'promote' | 'hang' | 'start' | 'jump';

/** A line as it is written. `by`: A and B are the holders, `lab`, `resource` and the servers speak for themselves. */
export type Line = { readonly t: string; readonly by: string; readonly pid: number } & Happening;

/** A line as checkers read it: `at` is milliseconds since the first line. */
export type Entry = Line & { readonly at: number };

export interface History {
  readonly entries: readonly Entry[];
  /** Lines that could not be read: a history with any proves nothing. */
  readonly unreadable: number;
}

/** Now, in nanoseconds of CLOCK_MONOTONIC. */
export function monotonicNs(): bigint {
  return process.hrtime.bigint();
}

/** Appends lines to a history file. One for each process that has something to say. */
export class HistoryWriter {
  readonly #file: number;
  /** Who speaks, unless a line says otherwise. */
  readonly by: string;
  #operations = 0;

  /** A path, or a file that is open. */
  constructor(file: string | number, by: string) {
    this.#file = typeof file === 'number' ? file : openSync(file, 'a');
    this.by = by;
  }

  /** A writer to the same file for somebody else. */
  of(by: string): HistoryWriter {
    return new HistoryWriter(this.#file, by);
  }

  /** The number for an operation, which its lines share. */
  nextOperation(): number {
    return ++this.#operations;
  }

  /** Has written the line when it returns. Gives the time that stands in it. */
  write(happening: Happening, by: string = this.by): bigint {
    const t = monotonicNs();
    const line: Line = { t: String(t), by, pid: process.pid, ...happening };
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    return t;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Reads a history. Lines are sorted by time; lines of one process keep their order. */
export function parseHistory(text: string): History {
  const lines: Line[] = [];
  let unreadable = 0;
  for (const json of text.split('\n')) {
    if (json === '') continue;
    const line = parseLine(json);
    if (line) lines.push(line);
    else unreadable++;
  }
  return { entries: toEntries(lines), unreadable };
}

/** Lines with their time counted from the first. */
export function toEntries(lines: readonly Line[]): readonly Entry[] {
  const sorted = lines
    .map((line) => ({ line, t: BigInt(line.t) }))
    .sort((a, b) => (a.t < b.t ? -1 : a.t > b.t ? 1 : 0));
  const origin = sorted[0]?.t ?? 0n;
  return sorted.map(({ line, t }) => ({ ...line, at: Number(t - origin) / 1e6 }));
}

function parseLine(json: string): Line | undefined {
  try {
    const line = JSON.parse(json) as Partial<Line>;
    const complete = /^\d+$/.test(line.t ?? '') && typeof line.by === 'string' && typeof line.f === 'string';
    return complete ? (line as Line) : undefined;
  } catch {
    return undefined;
  }
}
