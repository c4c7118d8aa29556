import type { AcquireRequest } from '../../core/backend.ts';
import { Instant, systemClock } from '../../core/clock.ts';

let owners = 0;

/** A request as the core makes it, with an owner id that was never used. */
export function request(name: string, ttlMs = 10_000): AcquireRequest {
  return { name, owner: `facts-${++owners}`, ttlMs, heartbeatMs: ttlMs / 3, purpose: undefined };
}

/** A deadline that is far enough for any answer. */
export function soon(): Instant {
  return Instant.plus(systemClock.now(), 10_000);
}
