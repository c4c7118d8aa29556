import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RedisServer } from './test-support/redis-server.ts';

const PROGRAM = fileURLToPath(new URL('./test-support/forgetter.mjs', import.meta.url));

let server: RedisServer;

beforeEach(async () => {
  server = await RedisServer.start();
  await server.admin.set('holdfast:busy', 'somebody', 'PX', 60_000);
});
afterEach(() => server.stop());

describe.each(['ioredis', 'iovalkey', 'node-redis', 'node-redis by its URL'])('through %s', (client) => {
  it.each([
    ['answers', () => undefined],
    ['is dead', () => server.kill()],
  ])('a program that forgets its locks comes to its end, where the server %s', async (_how, before) => {
    const child = fork(PROGRAM, [client, String(server.port)], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    const complaints: string[] = [];
    child.stderr?.on('data', (text) => complaints.push(String(text)));
    try {
      expect(await once(child, 'message')).toContain('listening');
      await before();
      child.send('quit');
      const [status] = await once(child, 'exit');
      expect(complaints.join('')).toBe('');
      expect(status).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
