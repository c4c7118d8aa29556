import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedlockServers } from '../lock/src/backends/redlock/test-support/redlock-servers.ts';

let servers: RedlockServers;

beforeAll(async () => {
  servers = await RedlockServers.start(3);
});
afterAll(() => servers.stop());

it('the example of a lock on a majority of Redis servers runs, and leaves no vote', async () => {
  const example = fileURLToPath(new URL('./redlock.mjs', import.meta.url));
  const env = { ...process.env, REDIS_URLS: servers.ports.map((port) => `redis://127.0.0.1:${port}`).join(',') };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [example], { env });
  expect(stdout).toBe('holding on a majority of 3 servers\n');
  expect(stderr).toBe('');
  expect(await servers.residue()).toEqual([]);
});
