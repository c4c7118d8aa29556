/**
 * What the lab says to a holder process and what that answers, over the channel that Node gives to a child.
 *
 * @module
 */
import type { HoldId } from './history.ts';
import type { Guarantee } from './result.ts';
import type { ServerKind } from './servers/find-server.ts';
import type { SubjectSource } from './subjects/load-subject.ts';

export interface Commands {
  /** Loads the subject and says what it is, without connecting it. */
  describe: { asks: { subject: SubjectSource }; gives: { name: string; server: ServerKind | 'none' } };
  /** Loads the subject and connects it, and the resource that it is to protect. */
  open: { asks: { subject: SubjectSource; url: string; resourcePort: number }; gives: Opened };
  /** One question for the lock. */
  acquire: { asks: { name: string; ttlMs: number; waitMs: number }; gives: Acquired };
  /** Asks every `everyMs` until it has the lock, or `limitMs` have passed. */
  contend: { asks: { name: string; ttlMs: number; everyMs: number; limitMs: number }; gives: Contended };
  /**
   * Looks at the lease once, enters the section, and then reads and writes until `finish`. Answers when it is inside.
   * One that `heeds` its lease looks before each access, and leaves when it is lost.
   */
  enter: { asks: { computeMs: number; heeds?: true }; gives: { entered: boolean } };
  /** Makes the time between the next read and its write `forMs` long. Answers when that time has begun. */
  dwell: { asks: { forMs: number }; gives: null };
  /** Ends the section after the write that it is at. */
  finish: { asks: object; gives: { steps: number } };
  /** Answers when the lock itself no longer believes that it holds, at the latest after `limitMs`. */
  observe: { asks: { limitMs: number }; gives: { believes: boolean } };
  release: { asks: object; gives: { error: string | null } };
  /** Answers when all that it was asked before has begun. */
  'has-begun': { asks: object; gives: null };
  /** Connects some who are going to wait in one process, and deals so many clients out among them. */
  gather: {
    asks: { subject: SubjectSource; url: string; resourcePort: number; waiters: readonly string[]; clients: number };
    gives: null;
  };
  /**
   * One of them begins to wait. Answers when it does; with a `place`, when the lock itself, if it can say so, has seen so
   * many wait at the server.
   */
  'line-up': {
    asks: { waiter: string; place: number | null; name: string; ttlMs: number; waitMs: number };
    gives: null;
  };
  /** Answers when all of them have had the lock, worked and given it back, with what went wrong. */
  served: { asks: object; gives: readonly string[] };
  close: { asks: object; gives: null };
}

export interface Opened {
  /** What the lock states about itself, if it does. */
  readonly guarantee: Guarantee | null;
}

export type Acquired =
  | { readonly outcome: 'granted'; readonly hold: HoldId }
  | { readonly outcome: 'busy' }
  | { readonly outcome: 'unknown'; readonly error: string };

export interface Contended {
  readonly granted: boolean;
  readonly tries: number;
  /** What the last try that threw said. */
  readonly error: string | null;
}

export type Verb = keyof Commands;

/** From the lab to the holder. */
export type Request = {
  [V in Verb]: { readonly id: number; readonly verb: V; readonly asks: Commands[V]['asks'] };
}[Verb];

/** From the holder to the lab: answers, and unasked how many read-modify-writes it has done. */
export type Message =
  | { readonly id: number; readonly gives: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly steps: number };
