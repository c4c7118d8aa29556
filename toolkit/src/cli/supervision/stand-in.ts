/**
 * The front in place of a guard that was killed or stopped: end the command while the lease still keeps others out,
 * and give the lock back only when nothing of the command runs any more.
 *
 * @module
 */
import { formatDuration } from '../durations.ts';
import { warn } from '../stderr.ts';
import { endGroup, stubborn } from './ending.ts';
import { ProcessGroup } from './process-group.ts';
import type { Start, Started } from './protocol.ts';
import { endSchedule, monotonicNow } from './schedule.ts';

/** How long giving the lock back may take; after that the TTL does it. */
const RELEASE_MS = 2_000;

interface StandInOptions {
  readonly guardWas: 'stopped' | 'killed';
  readonly alreadyAsked: boolean;
  /** The last end of the lease that the guard has told. */
  readonly validUntil: number;
  /** Makes sure that the guard does nothing any more. */
  endGuard(): Promise<void>;
}

export async function standIn(
  start: Start,
  { group, birth, owner, ttlMs }: Started,
  options: StandInOptions,
): Promise<void> {
  const askedAt = monotonicNow();
  const { killAt } = endSchedule(options.validUntil, { ttlMs, killAfterMs: start.killAfterMs }, 'front');
  await endGroup(new ProcessGroup(group, birth), {
    // At the death of the guard the last watch asks.
    ask: options.guardWas === 'stopped' && !options.alreadyAsked,
    killAt: () => Math.min(askedAt + start.killAfterMs, killAt),
    onStubborn: (pids) => warn(stubborn(start.lockName, pids)),
  });
  await options.endGuard();

  const shown = JSON.stringify(start.lockName);
  const what = `The guard process was ${options.guardWas} while the command ran under the lock ${shown}. The command has been ended`;
  try {
    await release(start, owner, ttlMs);
    warn(`${what}, then the lock was released.`);
  } catch (error) {
    const leftMs = Math.max(0, options.validUntil - monotonicNow());
    const why = error instanceof Error ? error.message : String(error);
    warn(`${what}; the lock is free in at most ${formatDuration(leftMs)}, since it could not be released: ${why}`);
  }
}

/** What is needed for this is loaded now: it is slow to load and rarely needed, and the command is gone already. */
async function release({ url, lockName }: Start, owner: string, ttlMs: number): Promise<void> {
  const { Instant, systemClock } = await import('holdfast');
  const { connect } = await import('../../connect/connect.ts');
  const connection = await connect(url, { patienceMs: RELEASE_MS });
  try {
    await connection.backend.release({ name: lockName, owner, ttlMs }, Instant.plus(systemClock.now(), RELEASE_MS));
  } finally {
    await connection.close();
  }
}
