// For packages that try once: asks again until the time is over.
import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 50;

/** What `tryOnce` gives, or null once `waitMs` have passed; `tryOnce` gives null while somebody else has the lock. */
export async function poll(waitMs, tryOnce) {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    const found = await tryOnce();
    if (found !== null) return found;
    if (performance.now() >= giveUpAt) return null;
    await sleep(EVERY_MS);
  }
}
