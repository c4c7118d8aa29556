/**
 * The Redlock clients of npm beside ours. They are no dependency of this repository: `npm ci --prefix peers` installs them.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createLocks } from 'holdfast';
import { fromIoredis } from 'holdfast/redis';
import { redlockBackend } from 'holdfast/redlock';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Reaper } from '../reaper.ts';
import { findServers } from '../servers/find-server.ts';
import { RedisServer } from '../servers/redis.ts';
import type { Subject } from '../subject.ts';

const PEERS = new URL('../../../../peers/', import.meta.url);
const isMissing = !existsSync(new URL('node_modules/redlock/package.json', PEERS));
if (isMissing) console.info(`  - redlock beside npm packages: skipped: npm ci --prefix ${fileURLToPath(PEERS)}`);

describe.skipIf(isMissing)('a lock on five servers', () => {
  let reaper: Reaper;
  const servers: RedisServer[] = [];

  beforeAll(async () => {
    reaper = await Reaper.start();
    const program = findServers().redlock;
    if ('missing' in program) throw new Error(program.missing);
    for (let number = 1; number <= 5; number++) {
      const use = { reaper, program: program.file, folder: reaper.folder, name: `redis-${number}` };
      servers.push(await RedisServer.start(use));
    }
  }, 60_000);
  afterAll(async () => {
    for (const server of servers) server.stop();
    await reaper?.close();
  });

  it.each([
    ['redlock', ''],
    ['redis-semaphore', 'mutex:'],
  ])('is held by us or by %s, in both directions, with the prefix "%s"', async (file, keyPrefix) => {
    const { default: peer } = (await import(new URL(`${file}.mjs`, PEERS).href)) as { default: Subject };
    const url = `redlock://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
    const theirs = await peer.open({ url });
    onTestFinished(async () => void (await theirs.close()));
    const clients = servers.map(({ port }) => new Redis(port, '127.0.0.1'));
    const locks = createLocks(redlockBackend(clients.map(fromIoredis), { keyPrefix, nodeTimeoutMs: 5_000 }), {
      ttlMs: 30_000,
    });
    onTestFinished(async () => {
      await locks.close();
      for (const client of clients) client.disconnect();
    });
    const ours = locks.lock(`beside:${file}`);
    for (let round = 0; round < 3; round++) {
      const lease = await ours.acquire();
      expect(await theirs.acquire(ours.name, { ttlMs: 30_000, waitMs: 0 })).toBeNull();
      await lease.release();
      const hold = await theirs.acquire(ours.name, { ttlMs: 30_000, waitMs: 10_000 });
      expect(hold).not.toBeNull();
      expect(await ours.tryAcquire()).toBeNull();
      await hold?.release();
    }
  });
});
