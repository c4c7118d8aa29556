/**
 * What all measures share: the server, the processes that measure, and how often to measure.
 *
 * @module
 */
import type { Reaper } from '../lab/reaper.ts';
import type { RedisServer } from '../lab/servers/redis.ts';

export interface Bench {
  readonly reaper: Reaper;
  readonly server: RedisServer;
  readonly rounds: number;
  /** For how long each subject of the pairs runs before it is measured, one at a time and side by side. */
  readonly warmUpMs: number;
  /** Says what is being done, for people who wait: a measure, and how far it is. */
  readonly progress: (measure: string, detail: string) => void;
}

/** Rounds at the beginning that are not counted. */
export const WARM_UP_ROUNDS = 2;

/**
 * Runs every subject in each round, each round beginning with another one, so that none is always measured first. Gives
 * what was measured, by subject and round, without the warm-up.
 */
export async function alternate<Id extends string, Measured>(
  subjects: readonly Id[],
  rounds: number,
  measure: (subject: Id, round: number) => Promise<Measured>,
  warmUp: number = WARM_UP_ROUNDS,
): Promise<Record<Id, Measured[]>> {
  const measured = Object.fromEntries(subjects.map((subject) => [subject, []])) as unknown as Record<Id, Measured[]>;
  for (let round = -warmUp; round < rounds; round++) {
    for (const subject of turned(subjects, round + warmUp)) {
      const figures = await measure(subject, round);
      if (round >= 0) measured[subject].push(figures);
    }
  }
  return measured;
}

/** How far a measure is, for `progress`. */
export function nameOfRound(round: number, rounds: number): string {
  return round < 0 ? 'warm-up' : `round ${round + 1} of ${rounds}`;
}

function turned<Id>(subjects: readonly Id[], by: number): readonly Id[] {
  const at = by % subjects.length;
  return [...subjects.slice(at), ...subjects.slice(0, at)];
}
