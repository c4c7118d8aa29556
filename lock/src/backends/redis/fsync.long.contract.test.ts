import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Opened } from './test-support/opened.ts';
import type { RedisServer } from './test-support/redis-server.ts';
import { Replication } from './test-support/replication.ts';
import { requestFor } from './test-support/requests.ts';

// Apart from the other tests, since it needs a newer server than Debian 12 has: put one first on the PATH.
const reason = 'WAITAOF is there from Redis 7.2 on, and the redis-server on the PATH is older';

let hasWaitAof: boolean;
let servers: Replication;
let opened: Opened;

beforeAll(async () => {
  servers = await Replication.start(1, ['--appendonly', 'yes']);
  const [, major, minor] = /redis_version:(\d+)\.(\d+)/.exec(await servers.primary.admin.info('server')) ?? [];
  hasWaitAof = Number(major) > 7 || (Number(major) === 7 && Number(minor) >= 2);
});
afterAll(() => servers.stop());
beforeEach(() => {
  opened = new Opened(servers.primary);
});
afterEach(async () => {
  for (const replica of servers.replicas) replica.resume();
  await servers.primary.admin.config('SET', 'appendfsync', 'everysec');
  await opened.close();
});

/** Everything in the append-only files of a server. */
async function written(server: RedisServer): Promise<string> {
  const [, home = ''] = (await server.admin.config('GET', 'dir')) as string[];
  const folder = path.join(home, 'appendonlydir');
  return readdirSync(folder)
    .map((file) => readFileSync(path.join(folder, file), 'latin1'))
    .join('');
}

it('a lock that is granted is in the files of the primary and of the replica', async ({ skip }) => {
  if (!hasWaitAof) skip(reason);
  const backend = opened.backend({ replicas: 1, fsync: true, acknowledgeMs: 5_000 });
  const request = requestFor('kept');
  expect(await backend.tryAcquire(request)).toMatchObject({ outcome: 'granted' });
  for (const server of [servers.primary, ...servers.replicas]) expect(await written(server)).toContain(request.owner);
  await backend.release(request);
});

it('a replica that does not answer is a refusal that says so, and nothing is left', async ({ skip }) => {
  if (!hasWaitAof) skip(reason);
  const backend = opened.backend({ replicas: 1, fsync: true, acknowledgeMs: 100 });
  servers.replicas[0]?.pause();
  await expect(backend.tryAcquire(requestFor('alone'))).rejects.toMatchObject({ acknowledged: 0, replicas: 1 });
  expect(await servers.primary.admin.exists('holdfast:alone')).toBe(0);
});

it('a primary that does not flush its file is a refusal that says so, and nothing is left', async ({ skip }) => {
  if (!hasWaitAof) skip(reason);
  await servers.primary.admin.config('SET', 'appendfsync', 'no');
  const backend = opened.backend({ fsync: true, acknowledgeMs: 100 });
  await expect(backend.tryAcquire(requestFor('unflushed'))).rejects.toThrow(/disk/);
  expect(await servers.primary.admin.exists('holdfast:unflushed')).toBe(0);
});
