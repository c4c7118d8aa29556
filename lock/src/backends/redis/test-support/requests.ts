import type { AcquireRequest } from '../../../core/backend.ts';

let owners = 0;

/** A request as the core makes it, with an owner id that was never used. */
export function requestFor(name: string, changes: Partial<AcquireRequest> = {}): AcquireRequest {
  const owner = `test-${process.pid}:${++owners}`;
  return { name, owner, ttlMs: 10_000, purpose: undefined, heartbeatMs: 3_000, ...changes };
}

/** Waits for a condition, looking every few milliseconds. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, limitMs = 5_000): Promise<void> {
  const giveUpAt = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > giveUpAt) throw new Error(`Not within ${limitMs} ms: ${what}.`);
    await sleep(5);
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The code of the error that a promise rejects with; `resolved` if it does not. */
export function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'resolved',
    (error: { code?: string }) => error.code ?? error,
  );
}
