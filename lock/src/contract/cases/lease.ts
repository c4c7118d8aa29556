import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ContractCase, monotonicMs, sleep, TTL_MS } from '../subject.ts';
import { needs, soon } from './abilities.ts';

export const leaseCases: readonly ContractCase[] = [
  {
    name: 'a lease is renewed for as long as it is held',
    async run(t) {
      const name = t.name();
      const [one, two] = [await t.locks(), await t.locks()];
      const lease = await one.lock(name).acquire();
      for (let look = 0; look < 6; look++) {
        await sleep(TTL_MS / 2);
        assert.equal(lease.state, 'held');
        assert.equal(await two.lock(name).tryAcquire(), null);
      }
      await lease.confirm();
      await lease.release();
    },
  },
  {
    name: 'a lease that is not renewed is lost by its own clock before the next one is granted',
    async run(t) {
      const name = t.name();
      const [one, two] = [await t.locks({ renew: false }), await t.locks()];
      const lease = await one.lock(name).acquire();
      let lostAtMs = Number.POSITIVE_INFINITY;
      lease.signal.addEventListener('abort', () => {
        lostAtMs = monotonicMs();
      });
      const rival = await two.lock(name).acquire();
      const grantedAtMs = monotonicMs();
      assert.equal(lease.state, 'lost');
      assert.ok(lostAtMs < grantedAtMs, `lost at ${lostAtMs}, granted at ${grantedAtMs}`);
      assert.deepEqual((lease.signal.reason as { reason: string }).reason, 'expired');
      await rival.release();
      await assert.rejects(lease.release(), { code: 'LOST' });
    },
  },
  {
    name: 'the late release of a lost lease does not free the lock of the next holder',
    async run(t) {
      const name = t.name();
      const [one, two, three] = [await t.locks({ renew: false }), await t.locks(), await t.locks()];
      const lease = await one.lock(name).acquire();
      const rival = await two.lock(name).acquire();
      await assert.rejects(lease.release(), { code: 'LOST' });
      await sleep(50);
      assert.equal(await three.lock(name).tryAcquire(), null);
      await rival.confirm();
      await rival.release();
    },
  },
  {
    name: 'a hold that is gone at the backend is lost at the next renewal, and is not made anew',
    async run(t) {
      const name = t.name();
      const operator = needs.breaking(await t.backend());
      const [one, two] = [await t.locks(), await t.locks()];
      const lease = await one.lock(name).acquire();
      await operator.breakLock(name, soon());
      const rival = await two.lock(name).acquire({ waitMs: TTL_MS });
      if (!lease.signal.aborted) await once(lease.signal, 'abort', { signal: AbortSignal.timeout(5_000) });
      await sleep(TTL_MS);
      assert.equal(rival.state, 'held');
      await rival.release();
    },
  },
];
