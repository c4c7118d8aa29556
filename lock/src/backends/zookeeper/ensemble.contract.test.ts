import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeBackend } from '../../contract/index.ts';
import { until } from '../../contract/subject.ts';
import { Ensemble } from './test-support/ensemble.ts';
import { whyNoZooKeeper } from './test-support/servers.ts';
import { doesNotApply, ensembleUnderTest, TELLING } from './test-support/under-test.ts';
import { reasonOf, soon, World } from './test-support/world.ts';

const missing = whyNoZooKeeper();

let ensemble: Ensemble;
beforeAll(async () => {
  if (missing === undefined) ensemble = await Ensemble.start();
}, 60_000);
afterAll(() => ensemble?.stop());

const world = new World();
afterEach(() => world.end());

describeBackend(
  { afterAll, beforeAll, describe: describe.skipIf(missing !== undefined), it },
  'zookeeper, an ensemble of three',
  { start: () => ensembleUnderTest(ensemble), only: TELLING, doesNotApply },
);

describe.skipIf(missing !== undefined)('a lock on a ZooKeeper ensemble', () => {
  it('outlives the death of the leader', async () => {
    const lease = await world.locks(ensemble.addresses, { ttlMs: 20_000 }).lock('leader').acquire();
    const rival = world.locks(ensemble.addresses, { ttlMs: 20_000 });
    const waiting = rival.lock('leader').acquire({ waitMs: 60_000 });
    const leader = await ensemble.leader();
    await leader.kill();
    await until(
      'an answer of the new leader',
      () =>
        lease.confirm().then(
          () => true,
          () => false,
        ),
      20_000,
    );
    await until('quiet after the election', () => lease.state === 'held');
    await lease.release();
    const next = await waiting;
    expect(next.fencingToken > lease.fencingToken).toBe(true);
    await next.release();
    await leader.spawn();
    await ensemble.untilReady();
  }, 90_000);

  it('is lost in time by a holder whose server is cut off from the leader, and goes on to answer pings', async () => {
    const leader = await ensemble.leader();
    const [follower] = await ensemble.followers();
    if (follower === undefined) throw new Error('An ensemble of three has followers.');
    const lease = await world.locks(follower.address, { ttlMs: 2_000 }).lock('cut').acquire();
    const witness = await world.client(follower.address);
    const waiting = world.locks(leader.address, { ttlMs: 2_000 }).lock('cut').acquire({ waitMs: 30_000 });
    await until('the rival in line', async () => (await witness.getChildren('/holdfast/cut')).children.length === 2);
    let lostAtMs = Number.POSITIVE_INFINITY;
    lease.signal.addEventListener('abort', () => {
      lostAtMs = performance.now();
    });
    ensemble.cutOff(follower);
    const next = await waiting;
    const grantedAtMs = performance.now();
    // The trap is real: for the follower all is well, and it still shows the node of the holder whose session is over.
    expect((await witness.getChildren('/holdfast/cut', { deadline: soon() })).children).toHaveLength(2);
    expect(lostAtMs).toBeLessThan(grantedAtMs);
    expect(reasonOf(lease.signal)).toBe('expired');
    await next.release();
  }, 90_000);
});
