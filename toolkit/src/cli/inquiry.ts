/**
 * A question to a live backend: connect, ask with a deadline, close.
 *
 * @module
 */
import { type Breaks, breaks, createLocks, type Inspects, type Instant, inspects, LockError } from 'holdfast';
import { connect } from '../connect/connect.ts';
import { withDeadline } from '../connect/deadline.ts';
import { asUsage } from './failure.ts';

/** How long one question may take. */
const CALL_MS = 5_000;

export interface Inquiry {
  readonly backend: Inspects;
  /** Fails with `UNSUPPORTED` where the backend cannot break locks. */
  breaker(): Breaks;
  /** Asks one question, and waits a few seconds for the answer. */
  ask<Answer>(what: string, question: (deadline: Instant) => Promise<Answer>): Promise<Answer>;
  /** Throws a `UsageError` if that cannot be the name of a lock. */
  checkName(name: string): void;
}

export async function inquire<Result>(
  url: string | undefined,
  ask: (inquiry: Inquiry) => Promise<Result>,
): Promise<Result> {
  const connection = await connect(url);
  try {
    const { backend } = connection;
    if (!inspects(backend)) throw cannot(backend.id, 'say who holds its locks');
    return await ask({
      backend,
      breaker: () => {
        if (!breaks(backend)) throw cannot(backend.id, 'break locks');
        return backend;
      },
      ask: (what, question) => withDeadline(`${what} at ${connection.description}`, CALL_MS, question),
      checkName: (name) => void asUsage(() => createLocks(backend).lock(name)),
    });
  } finally {
    await connection.close();
  }
}

function cannot(backend: string, what: string): LockError {
  return new LockError('UNSUPPORTED', `The ${backend} backend cannot ${what}.`);
}
