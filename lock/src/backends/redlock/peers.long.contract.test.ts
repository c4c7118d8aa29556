/**
 * The Redlock clients of npm beside ours. They are no dependency of this repository: `npm ci --prefix peers` installs them.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLocks } from '../../index.ts';
import { RedlockServers } from './test-support/redlock-servers.ts';

const PEERS = new URL('../../../../peers/', import.meta.url);

interface Peer {
  open(options: { readonly url: string }): Promise<{
    acquire(
      name: string,
      options: { readonly ttlMs: number; readonly waitMs: number },
    ): Promise<{ release(): Promise<unknown> } | null>;
    close(): Promise<void>;
  }>;
}

const isMissing = !existsSync(new URL('node_modules/redlock/package.json', PEERS));
if (isMissing) console.info(`  - redlock beside npm packages: skipped: npm ci --prefix ${fileURLToPath(PEERS)}`);

describe.skipIf(isMissing)('a lock on five servers', () => {
  let servers: RedlockServers;
  beforeAll(async () => {
    servers = await RedlockServers.start();
  }, 60_000);
  afterAll(() => servers.stop());

  it.each([
    ['redlock', ''],
    ['redis-semaphore', 'mutex:'],
  ])('is held by us or by %s, in both directions, with the prefix "%s"', async (file, keyPrefix) => {
    const { default: peer } = (await import(pathToFileURL(fileURLToPath(new URL(`${file}.mjs`, PEERS))).href)) as {
      default: Peer;
    };
    const url = `redlock://${servers.all.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
    const theirs = await peer.open({ url });
    onTestFinished(() => theirs.close());
    const backend = servers.backend({ keyPrefix, nodeTimeoutMs: 5_000 });
    const locks = createLocks(backend, { ttlMs: 30_000 });
    onTestFinished(async () => {
      await locks.close();
      await backend.close();
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
