import type { OwnerId } from '../../core/backend.ts';
import type { Instant } from '../../core/clock.ts';
import type { SharedLease } from './leases.ts';

/** The place of one owner in the order of a lock: a key at etcd, and what we know of it. */
export interface Place {
  readonly owner: OwnerId;
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
