import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { TestEtcd } from '../lock/src/backends/etcd/test-support/etcd.ts';
import { whyNoZooKeeper, ZooKeeperServer } from '../lock/src/backends/zookeeper/test-support/servers.ts';

async function run(file: string, env: Record<string, string>): Promise<string> {
  const example = fileURLToPath(new URL(file, import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [example], {
    env: { ...process.env, ...env },
  });
  expect(stderr).toBe('');
  return stdout;
}

it('the example of a lock on etcd runs, is refused its late write, and leaves no key of the lock', async () => {
  const etcd = await TestEtcd.start();
  onTestFinished(() => etcd.stop());
  const stdout = await run('./etcd.mjs', { ETCD_ENDPOINTS: etcd.endpoints.join(',') });
  expect(stdout).toBe('holding, with a token: true\nwritten while it is held: true\nwritten when it is over: false\n');
  expect(await etcd.residue()).toEqual(['balance']);
  expect(await etcd.ctl('get', 'balance', '--print-value-only')).toBe('100\n');
});

it('the example of a lock in ZooKeeper runs, and its session is over', async ({ skip }) => {
  const missing = whyNoZooKeeper();
  skip(missing !== undefined, missing);
  const server = await ZooKeeperServer.start();
  onTestFinished(() => server.stop());
  const stdout = await run('./zookeeper.mjs', { ZOOKEEPER_SERVERS: server.address });
  expect(stdout).toBe('holding, with a token: true\nin Java: new InterProcessMutex(client, "/holdfast/order:1001")\n');
  expect(await server.ask('dump')).toContain('Sessions with Ephemerals (0)');
});
