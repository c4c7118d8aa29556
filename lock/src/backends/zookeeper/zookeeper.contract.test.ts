import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeBackend } from '../../contract/index.ts';
import { whyNoZooKeeper, ZooKeeperServer } from './test-support/servers.ts';
import { ALL_BUT_REPEATS, doesNotApply, SHORTEST_SESSION, serverUnderTest } from './test-support/under-test.ts';

const missing = whyNoZooKeeper();
if (missing !== undefined) console.info(`  - zookeeper: skipped, since ${missing}`);

let server: ZooKeeperServer;
beforeAll(async () => {
  if (missing === undefined) server = await ZooKeeperServer.start({ config: SHORTEST_SESSION });
}, 60_000);
afterAll(() => server?.stop());

describeBackend(
  { afterAll, beforeAll, describe: describe.skipIf(missing !== undefined), it },
  'zookeeper, one server',
  { start: () => serverUnderTest(server), only: ALL_BUT_REPEATS, doesNotApply },
);
