/**
 * Connections that come out of the pool inside a transaction: somebody has given one back without COMMIT or ROLLBACK.
 *
 * A grant in such a transaction is none: it is undone together with it, and another owner gets the lock; and after an
 * error every statement in it fails. So nothing is asked on such a connection, and it leaves the pool, which ends the
 * transaction.
 *
 * The server says with each answer whether a transaction is open. Releases of `pg` with `getTransactionStatus` hand
 * that on; of older ones the message itself is listened to.
 *
 * @module
 */
import type { PostgresConnection } from './client.ts';

/** What the server says when no transaction is open. */
const IDLE = 'I';

/** What we read of a client of `pg`. */
interface SaysItsStatus {
  getTransactionStatus?(): string | null;
  /** The protocol below it. */
  readonly connection?: { on?(event: string, listener: (message: { status?: string }) => void): unknown };
}

const statuses: WeakMap<object, string> = new WeakMap();

/** Follows what a connection is told, where its driver does not remember it. Once for each. */
export function followStatus(connection: object): void {
  const client = connection as SaysItsStatus;
  if (typeof client.getTransactionStatus === 'function') return;
  client.connection?.on?.('readyForQuery', ({ status }) => {
    if (status !== undefined) statuses.set(client, status);
  });
}

/** Whether the last answer left a transaction open. A driver of which we cannot know it counts as one that did not. */
export function isInTransaction(connection: PostgresConnection): boolean {
  const client = connection as SaysItsStatus;
  const status = client.getTransactionStatus?.() ?? statuses.get(client) ?? IDLE;
  return status !== IDLE;
}

/** What was answered inside such a transaction, and is undone with it. */
export class LeftOpenError extends Error {
  override readonly name = 'LeftOpenError';

  constructor() {
    super('The connection was in a transaction that somebody had left open when giving it back to the pool.');
  }
}
