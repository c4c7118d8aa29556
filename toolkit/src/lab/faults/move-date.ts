/**
 * The date of a whole server, of all its processes, moved and proven by what it tells.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { inflict, type Scene } from '../scene.ts';
import type { Dated } from '../servers/dated.ts';
import { childrenOf } from './process-children.ts';
import { ProcessClock } from './process-clock.ts';

/** What reading a clock over a connection, and rounding to seconds, may cost. */
const TOLERANCE_S = 2;

/** It jumps ahead by two TTLs, as when it is set by hand, or by a time service that found it wrong. */
export async function jumpAhead(scene: Scene, server: Dated): Promise<void> {
  const aheadS = Math.ceil((2 * scene.timing.ttlMs) / 1_000);
  await inflict(
    scene,
    { act: 'jump', target: server.name, says: `its date is ${aheadS} s ahead from now on` },
    () => moveDate(server.pid, aheadS),
    async () => {
      const dates = await server.dates();
      const ahead = dates.map((date) => date - Date.now() / 1_000);
      const wrong = ahead.find((seconds) => Math.abs(seconds - aheadS) > TOLERANCE_S);
      if (wrong !== undefined) throw new Error(`its ${server.says} is ${wrong.toFixed(1)} s ahead`);
      const where = dates.length > 1 ? ', on a connection from before and on a new one' : '';
      return `its ${server.says} is ${Math.round(ahead[0] ?? 0)} s ahead of the machine's${where}`;
    },
  );
}

/** First that of the process that starts others: these have it from their beginning then, and the rest are there to be seen. */
async function moveDate(pid: number, seconds: number): Promise<void> {
  await new ProcessClock(pid).moveTo(seconds);
  for (const child of childrenOf(pid)) {
    await new ProcessClock(child).moveTo(seconds).catch((error: unknown) => {
      if (existsSync(`/proc/${child}/mem`)) throw error; // else it has ended, and has no date any more
    });
  }
}
