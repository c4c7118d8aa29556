/**
 * A subject of the overview: one way to lock on one kind of server, as one process has it. Ours, the bare commands, or
 * somebody else's file; all of them do the same.
 *
 * @module
 */
import type { Held } from '../held-subjects.ts';
import type { Contender } from '../turns.ts';

/** What the locks are kept in. */
export type Kind = 'memory' | 'sqlite' | 'redis' | 'redlock' | 'etcd' | 'zookeeper' | 'postgres' | 'mysql';

/** Ours, the bare commands through the same client, or a file with a subject of the check-up. */
export type SubjectId = 'holdfast' | 'raw' | { readonly file: string };

export interface OpenOptions {
  /** As the lab names its servers: `redis://127.0.0.1:6379`; of several, with commas. */
  readonly url: string;
  /** Of the locks that are held. */
  readonly ttlMs: number;
}

export interface BenchSubject {
  /** Acquires the lock of this index, which nobody else wants, and releases it. */
  pair(index: number): Promise<unknown>;
  /** So many who wait for one lock. Absent where nothing of it waits. */
  line?(name: string, waiters: number): Promise<readonly Contender[]>;
  /** How many stand in line at the server, the holder not counted. Absent where who waits only asks again and again. */
  inLine?(name: string): Promise<number>;
  /** Takes the lock of this index, and keeps it until it is released. Absent where that is not compared. */
  hold?(index: number): Promise<Held>;
}

/** What a kind of server is measured with. */
export interface SubjectKind {
  readonly ours: (options: OpenOptions) => Promise<BenchSubject>;
  readonly raw?: (options: OpenOptions) => Promise<BenchSubject>;
}

/** The TTL of locks that are not held for long. */
export const TTL_MS = 30_000;

/** Longer than any line takes, so that a wait that ends by its time is a failure. */
export const WAIT_MS = 60_000;

/** For connections of its own for each waiter: all of them, opened. */
export function openEach<Connection>(count: number, open: () => Promise<Connection>): Promise<readonly Connection[]> {
  return Promise.all(Array.from({ length: count }, open));
}
