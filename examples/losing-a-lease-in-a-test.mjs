// What does your code do when it loses the lock? A test can ask: no server, no waiting.
import assert from 'node:assert/strict';
import { createLocks } from 'holdfast';
import { manualClock, testBackend } from 'holdfast/testing';

const clock = manualClock();
const backend = testBackend({ clock });
const locks = createLocks(backend, { ttlMs: 30_000, clock });

const lease = await locks.lock('order:1').acquire();
await clock.advance(3_600_000); // an hour: the watchdog renews all the time
assert.equal(lease.state, 'held');

backend.loseLease('order:1'); // and now it is gone
assert.equal(lease.state, 'lost');
assert.ok(lease.signal.aborted);

const other = await locks.lock('order:2').acquire();
clock.jump(60_000); // this process was stopped for a minute: no timer has fired yet
assert.throws(() => other.assertHeld(), { code: 'LOST', reason: 'expired' });
console.log('the code under test was told');
