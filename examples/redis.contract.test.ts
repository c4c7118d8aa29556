import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisServer } from '../lock/src/backends/redis/test-support/redis-server.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(async () => {
  await server.stop();
});

it('the example of a lock on Redis runs, and leaves the lock free', async () => {
  const example = fileURLToPath(new URL('./redis.mjs', import.meta.url));
  const env = { ...process.env, REDIS_URL: `redis://127.0.0.1:${server.port}` };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [example], { env });
  expect(stdout).toBe('holding, with a token: true\n');
  expect(stderr).toBe('');
  expect(await server.admin.exists('order:1001')).toBe(0);
});
