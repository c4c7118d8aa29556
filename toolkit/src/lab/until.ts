import { setTimeout as sleep } from 'node:timers/promises';

/** What was waited for did not come within its limit. */
export class NotInTimeError extends Error {
  override readonly name = 'NotInTimeError';
}

export interface WaitLimits {
  readonly limitMs: number;
  readonly everyMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Looks again and again until there is something, and gives it. `undefined`, `null` and `false` mean not yet.
 * Rejects with a NotInTimeError that says what was waited for; an error of the look itself goes through.
 */
export async function until<T>(what: string, look: () => Found<T> | Promise<Found<T>>, limits: WaitLimits): Promise<T> {
  const { limitMs, everyMs = 10, signal } = limits;
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    signal?.throwIfAborted();
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() >= giveUpAt) throw new NotInTimeError(`${what} did not happen within ${limitMs} ms.`);
    await sleep(everyMs, undefined, signal ? { signal } : {});
  }
}

type Found<T> = T | undefined | null | false;

/** The promise's outcome, or a NotInTimeError once `limitMs` have passed. The promise itself goes on. */
export async function within<T>(what: string, promise: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotInTimeError(`${what} did not happen within ${limitMs} ms.`)), limitMs);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
