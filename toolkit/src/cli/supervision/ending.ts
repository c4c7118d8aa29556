/**
 * Ending a process group: ask with SIGTERM, make it end with SIGKILL, and wait until nothing of it runs.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessGroup } from './process-group.ts';
import { monotonicNow } from './schedule.ts';

/** The pauses between two looks; the last one repeats. */
const LOOK_AGAIN_MS = [5, 10, 20, 40, 80] as const;

/** After how long with SIGKILL the processes that are still there are named. */
const STUBBORN_AFTER_MS = 2_000;

interface EndingOptions {
  /** Whether SIGTERM is sent first; without it the group has been asked already. */
  readonly ask: boolean;
  /** When SIGKILL is due. Asked at each look, since a renewal may move it. */
  readonly killAt: () => number;
  /** Called once, with processes that even SIGKILL has not ended: they hang in the kernel, or run as another user. */
  readonly onStubborn: (pids: readonly number[]) => void;
}

/** Resolves when no process of the group runs any more, however long that takes. */
export async function endGroup(group: ProcessGroup, { ask, killAt, onStubborn }: EndingOptions): Promise<void> {
  if (ask) {
    group.signal('SIGTERM', { wholeSession: true });
    // A stopped process takes SIGTERM only when it goes on.
    group.signal('SIGCONT', { wholeSession: true });
  }
  let killingSince: number | undefined;
  let told = false;
  for (let look = 0; ; look++) {
    const living = group.living();
    if (living.length === 0) return;
    const now = monotonicNow();
    if (now >= killAt()) {
      group.signal('SIGKILL', { wholeSession: true });
      killingSince ??= now;
    }
    if (!told && killingSince !== undefined && now - killingSince > STUBBORN_AFTER_MS) {
      told = true;
      onStubborn(living);
    }
    await sleep(Math.min(LOOK_AGAIN_MS[look] ?? 80, Math.max(1, killAt() - now)));
  }
}

/** What to say about them. */
export function stubborn(lockName: string, pids: readonly number[]): string {
  return (
    `${pids.length === 1 ? 'The process' : 'The processes'} ${pids.join(', ')} under the lock ${JSON.stringify(lockName)} cannot be ended with SIGKILL. ` +
    'Does it run as another user, or hang in the kernel?'
  );
}
