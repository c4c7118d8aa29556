/**
 * A subject is the lock under examination: one of ours, a naive one, or a user's own file, whose default export has the
 * shape of `Subject`. It runs in a process of its own, so that it can be killed and stopped, and may hang, throw or print.
 *
 * @module
 */

import type { Guarantee } from './result.ts';
import type { ServerKind } from './servers/find-server.ts';

export interface Subject {
  /** Short, as it shall stand in the results. */
  readonly name: string;
  /**
   * Which server the lab shall start for it: `redis` (the default), `redlock` (five of them, named by a `redlock://` URL), `etcd`, `zookeeper`, `postgres`,
   * `mysql`, or `none` for a lock that needs no server. With `--url` the lab starts nothing.
   */
  readonly server?: ServerKind | 'none';
  /**
   * Connects. Called once for each that holds or waits; most are in a process of their own. In the larger herds once for
   * each process, of which many wait at once.
   */
  open(where: { readonly url: string }): Promise<SubjectSession>;
}

export interface SubjectSession {
  /** What it promises, as data: a check-up with `--claims` holds it against what it finds. Ours state one. */
  readonly guarantee?: Guarantee;
  /**
   * Resolves when it has the lock, or with null once `waitMs` have passed without it; `waitMs` 0 is a single try.
   * Rejects if it cannot know. Renews by itself, if it renews at all.
   */
  acquire(name: string, options: { readonly ttlMs: number; readonly waitMs: number }): Promise<SubjectHold | null>;
  /** How many wait for it at the server. Ours say it where they promise an order, so that the lab can line waiters up. */
  waiting?(name: string): Promise<number>;
  /** Gives back what `open` opened. */
  close(): Promise<void>;
}

export interface SubjectHold {
  /** In decimal, larger than that of every earlier hold of this lock; absent in a lock that has none. */
  readonly fencingToken?: string;
  /** Whether the lock itself thinks that it still holds: at once, without I/O, and not a promise. */
  believes(): boolean;
  release(): Promise<void>;
}
