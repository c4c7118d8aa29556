import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeBackend } from '../../contract/index.ts';
import { Ensemble } from './test-support/ensemble.ts';
import { whyNoZooKeeper, ZooKeeperServer } from './test-support/servers.ts';
import {
  doesNotApply,
  ensembleUnderTest,
  REPEATS,
  SHORTEST_SESSION,
  serverUnderTest,
} from './test-support/under-test.ts';

const missing = whyNoZooKeeper();
const runner = { afterAll, beforeAll, describe: describe.skipIf(missing !== undefined), it };
if (missing !== undefined) console.info(`  - zookeeper: skipped, since ${missing}`);

const cleanUps: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
});

describeBackend(runner, 'zookeeper, one server, again and again', {
  async start() {
    const server = await ZooKeeperServer.start({ config: SHORTEST_SESSION });
    cleanUps.push(() => server.stop());
    return serverUnderTest(server);
  },
  only: REPEATS,
});

describeBackend(runner, 'zookeeper, an ensemble of three, every case', {
  async start() {
    const ensemble = await Ensemble.start(SHORTEST_SESSION);
    cleanUps.push(() => ensemble.stop());
    return ensembleUnderTest(ensemble);
  },
  doesNotApply,
});
