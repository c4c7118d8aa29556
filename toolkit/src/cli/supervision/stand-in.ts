/**
 * The front in place of a guard that was killed or stopped: end the command while the lease still keeps others out,
 * and give the lock back only when nothing of the command runs any more.
 *
 * @module
 */
import type { ReleaseAnswer } from 'holdfast';
import { formatDuration } from '../durations.ts';
import { warn } from '../stderr.ts';
import { endGroup, stubborn } from './ending.ts';
import { groupsWithEnvironment, killWithEnvironment, type ProcessGroup } from './process-group.ts';
import type { Start, Starting } from './protocol.ts';
import { endSchedule, monotonicNow } from './schedule.ts';

/** How long giving the lock back may take; after that the TTL does it. */
const RELEASE_MS = 2_000;

/** Ends the command. `validUntil` is the end of the lease as it was last known, and `ask` whether SIGTERM is sent. */
export async function endCommand(
  { killAfterMs, lockName }: Start,
  groups: readonly ProcessGroup[],
  { ttlMs, validUntil, ask }: { readonly ttlMs: number; readonly validUntil: number; readonly ask: boolean },
): Promise<void> {
  const askedAt = monotonicNow();
  const { killAt } = endSchedule(validUntil, { ttlMs, killAfterMs }, 'front');
  const end = (group: ProcessGroup): Promise<void> =>
    endGroup(group, {
      ask,
      killAt: () => Math.min(askedAt + killAfterMs, killAt),
      onStubborn: (pids) => warn(stubborn(lockName, pids)),
    });
  await Promise.all(groups.map(end));
}

/**
 * Finds a command of which the guard, which is dead, could not tell the number any more. If it was just about to become
 * the command, so that it still is a copy of the guard with the mark of that, it is killed. Empty if there is none.
 */
export function findCommand({ environment }: Starting, guardMark: string): ProcessGroup[] {
  killWithEnvironment(guardMark);
  return groupsWithEnvironment(environment);
}

/** Gives the lock back in the name of the guard, and tells the user how that went. Never rejects. */
export async function giveBack(
  start: Start,
  { owner, ttlMs }: Starting,
  validUntil: number,
  whatHappened: string,
): Promise<void> {
  try {
    const answer = await release(start, owner, ttlMs);
    warn(`${whatHappened} ${answer === 'released' ? 'Then the lock was released.' : 'The lock was lost already.'}`);
  } catch (error) {
    const leftMs = Math.max(0, validUntil - monotonicNow());
    const why = error instanceof Error ? error.message : String(error);
    warn(`${whatHappened} The lock could not be released, and is free in at most ${formatDuration(leftMs)}. ${why}`);
  }
}

/** What is needed for this is loaded now: it is slow to load and rarely needed, and the command is gone already. */
async function release({ url, lockName: name }: Start, owner: string, ttlMs: number): Promise<ReleaseAnswer> {
  const { connect } = await import('../../connect/connect.ts');
  const { withDeadline } = await import('../../connect/deadline.ts');
  const connection = await connect(url);
  try {
    return await withDeadline('the release', RELEASE_MS, (deadline) =>
      connection.backend.release({ name, owner, ttlMs }, deadline),
    );
  } finally {
    await connection.close();
  }
}
