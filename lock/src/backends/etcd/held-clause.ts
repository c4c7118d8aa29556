/**
 * The guard for what is stored in the same etcd: a comparison for the user's own transaction, which etcd makes in the
 * same step as the write.
 *
 * @module
 */
import { LeaseLostError } from '../../core/errors.ts';
import type { Lease } from '../../core/lease.ts';
import type { EtcdBackend } from './backend.ts';

/** One comparison of a transaction, with the names and values that etcd's own API has. */
export interface HeldClause {
  readonly key: string;
  readonly target: 'CREATE';
  readonly result: 'EQUAL';
  /** A decimal string, since a revision may be larger than a JavaScript number can say. */
  readonly createRevision: string;
}

/**
 * What must be so at etcd for as long as this lease holds its lock. Put it among the comparisons of the transaction that
 * writes: once the lock is gone at etcd, the transaction does not succeed, whatever its writer still believes.
 *
 * Unlike a token that a resource compares, this refuses a stale writer from the moment of its loss, not only after the
 * next holder has come. It guards keys of the same etcd and nothing else.
 *
 * Throws a `LeaseLostError` if the lease is known to be over.
 *
 * @example
 * const { key, createRevision } = heldClause(backend, lease);
 * await etcd3.if(key, 'Create', '==', createRevision).then(etcd3.put('balance').value(100)).commit();
 */
export function heldClause(backend: EtcdBackend, lease: Lease): HeldClause {
  const hold = backend.holdOf(lease.owner);
  if (hold === undefined) {
    lease.assertHeld();
    throw new LeaseLostError(
      lease.name,
      'taken',
      'This etcd backend does not hold it. Does the lease come from another one?',
    );
  }
  return { key: hold.key, target: 'CREATE', result: 'EQUAL', createRevision: hold.createRevision.toString() };
}
