/**
 * An etcd or a ZooKeeper as the benchmark uses it: one server, its locks by Holdfast and by others, and what the server
 * itself counts.
 *
 * @module
 */
import type { Backend, Fences, Inspects } from 'holdfast';
import type { Contender } from '../turns.ts';

/** One acquire and one release of the lock of this lane, or what stands for them. */
export type Pair = (lane: number) => Promise<unknown>;

export interface PairSubject {
  readonly pair: Pair;
  /** Whether many of it can be under way in one process: a program that is started for each cannot. */
  readonly isConcurrent: boolean;
  close(): Promise<void>;
}

/** What the server has counted so far. */
export interface Counts {
  /** Requests that it has answered. */
  readonly calls: number;
  /** Watches that were begun or ended, where those are no requests of their own. */
  readonly watchMessages: number;
  /** Prolongations of leases or sessions, where it counts them. */
  readonly renewals: number | undefined;
}

export type LineId = 'holdfast' | 'lock service';

export interface System {
  readonly kind: 'etcd' | 'zookeeper';
  /** The first is what all are compared to; Holdfast is among them. */
  readonly pairIds: readonly string[];
  readonly lineIds: readonly LineId[];
  /** A backend object of its own, as another process has. */
  backend(): Backend & Fences & Inspects;
  openPairs(id: string): Promise<PairSubject>;
  /** So many contenders of one process. */
  openLine(
    id: LineId,
    name: string,
    waiters: number,
  ): Promise<{ readonly contenders: readonly Contender[]; close(): Promise<void> }>;
  /** How many stand in line for a lock, the holder included, whoever has come by which way. */
  inLine(name: string): Promise<number>;
  counts(): Promise<Counts>;
}
