import type { OwnerId } from '../../core/backend.ts';
import type { CancelTimer, Instant } from '../../core/clock.ts';

/** The place of one owner in the order of a lock: a key at etcd, and what we know of it. */
export interface Place {
  readonly owner: OwnerId;
  /** As its callers know it, and as etcd does: with the prefix. */
  readonly lockName: string;
  readonly name: string;
  readonly lease: SharedLease;
  readonly key: string;
  readonly tombstone: string;
  readonly value: string;
  /** When the key was created, in etcd's count: the fencing token. Undefined as long as etcd has not told us. */
  createRevision: bigint | undefined;
  held: boolean;
  /** It may exist, and shall not: nothing may be granted to it any more. */
  withdrawn: boolean;
  /** Until when its owner has asked for it. */
  keptUntil: Instant;
  /** How many calls that give it back are under way: the answer belongs to them. */
  endings: number;
  /** The watch on the one before it. */
  watch: { readonly key: string; readonly stop: () => void } | undefined;
}

/** A lease at etcd, with the places on it. */
export interface SharedLease {
  readonly id: bigint;
  /** What etcd has granted, which may be more than was asked for. */
  readonly ttlMs: number;
  /** When the last renewal left that was answered: etcd counts from no earlier moment. */
  renewedAt: Instant;
  /** No new lock is put on it; it ends with the last one that it has. */
  retired: boolean;
  gone: boolean;
  readonly places: Set<Place>;
  /** Keys that are in use, or have a tombstone. */
  readonly keys: Set<string>;
  cancelSweep: CancelTimer;
}
