import { Instant, OutcomeUnknownError, systemClock } from 'holdfast';

/**
 * Asks a backend one question, and waits no longer than that for the answer: backends need not watch the deadline that
 * they are given. Rejects with `OutcomeUnknownError` then.
 */
export async function withDeadline<Answer>(
  what: string,
  limitMs: number,
  ask: (deadline: Instant) => Promise<Answer>,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const message = `No answer to ${what} within ${limitMs} ms. Is the server reachable, and not stopped?`;
    timer = setTimeout(() => reject(new OutcomeUnknownError(message)), limitMs);
  });
  try {
    return await Promise.race([ask(Instant.plus(systemClock.now(), limitMs)), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
