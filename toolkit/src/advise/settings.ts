/**
 * The numbers of the lock that is recommended: the longest TTL that lets others go on in time, since that is what rides
 * out the most.
 *
 * @module
 */
import type { Answer } from './answers.ts';
import type { Situation } from './situation.ts';

export interface Settings {
  readonly ttlMs: number;
  /** 0 where nobody waits: who comes second goes away. */
  readonly waitMs: number;
  /** For how long a holder may be paused and still has the lock: what is left just before a renewal, with a margin. */
  readonly ridesOutMs: number;
  /** After how long others have the lock of a holder that was killed, at the latest. */
  readonly freeAfterMs: number;
}

interface Terms {
  readonly leastTtlMs: number;
  readonly mostTtlMs: number;
  /** How many TTLs may pass until the lock of a killed holder is free; 0: at once. */
  readonly ttlsUntilFree: 0 | 1 | 2;
}

const LONGEST_TTL_MS = 60_000;

/** As the pages of the backends have it, with their servers set up as delivered. */
const TERMS: Readonly<Record<NonNullable<Answer['backend']>, Terms>> = {
  memory: { leastTtlMs: 1_000, mostTtlMs: LONGEST_TTL_MS, ttlsUntilFree: 0 },
  sqlite: { leastTtlMs: 1_000, mostTtlMs: LONGEST_TTL_MS, ttlsUntilFree: 0 },
  redis: { leastTtlMs: 1_000, mostTtlMs: LONGEST_TTL_MS, ttlsUntilFree: 1 },
  redlock: { leastTtlMs: 1_000, mostTtlMs: LONGEST_TTL_MS, ttlsUntilFree: 1 },
  sql: { leastTtlMs: 1_000, mostTtlMs: LONGEST_TTL_MS, ttlsUntilFree: 1 },
  etcd: { leastTtlMs: 2_000, mostTtlMs: LONGEST_TTL_MS, ttlsUntilFree: 2 },
  zookeeper: { leastTtlMs: 4_000, mostTtlMs: 40_000, ttlsUntilFree: 2 },
  'sql-session': { leastTtlMs: 10_000, mostTtlMs: 10_000, ttlsUntilFree: 0 },
};

export function settingsFor(backend: NonNullable<Answer['backend']>, situation: Situation): Settings {
  const { leastTtlMs, mostTtlMs, ttlsUntilFree } = TERMS[backend];
  const wished = situation.freeWithinMs / Math.max(1, ttlsUntilFree);
  const whole = wished >= 1_000 ? Math.floor(wished / 1_000) * 1_000 : wished;
  const ttlMs = Math.min(Math.max(whole, leastTtlMs), mostTtlMs);
  return {
    ttlMs,
    waitMs: situation.protects === 'data' ? 10_000 : 0,
    ridesOutMs: Math.floor(ttlMs * (backend === 'zookeeper' ? 0.4 : 0.6)),
    freeAfterMs: ttlMs * ttlsUntilFree,
  };
}
