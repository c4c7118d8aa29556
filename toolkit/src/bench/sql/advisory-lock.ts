/**
 * The npm package `advisory-lock`, whose locks are those of a session of PostgreSQL as well. It is no dependency of
 * ours, so that it takes part where somebody has installed the packages of others.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { checkHold } from '../../lab/subjects/contract.ts';
import { loadSubject } from '../../lab/subjects/load-subject.ts';
import type { Pair } from './database.ts';

/** How long its `lock()` may take where nobody else wants the lock. */
const WAIT_MS = 10_000;

export interface Theirs {
  readonly pairs: Readonly<Record<string, Pair>>;
  /** Why there is none, and what helps. */
  readonly leftOut?: string;
}

/** `peers` is the folder of the packages of others; left out: that of the working tree. */
export async function openAdvisoryLock(url: string, peers: string = path.resolve('peers')): Promise<Theirs> {
  if (!existsSync(path.join(peers, 'node_modules', 'advisory-lock', 'package.json'))) {
    const remedy = '`npm ci --prefix peers --ignore-scripts` installs it, and then it takes part.';
    return { pairs: {}, leftOut: `npm advisory-lock is not in this table: ${remedy}` };
  }
  const subject = await loadSubject(path.join(peers, 'advisory-lock.mjs'));
  const session = await subject.open({ url });
  const pair =
    (waitMs: number): Pair =>
    async () => {
      const hold = checkHold(await session.acquire('pairs', { ttlMs: WAIT_MS, waitMs }));
      if (hold === null) throw new Error(`${subject.name} did not get a lock that nobody else wants.`);
      await hold.release();
    };
  // Without a wait it tries, and with one it locks: two functions of the package. Each opens a connection, and ends it.
  return { pairs: { [`${subject.name}, tryLock()`]: pair(0), [`${subject.name}, lock()`]: pair(WAIT_MS) } };
}
