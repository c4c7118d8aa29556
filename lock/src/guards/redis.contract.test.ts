import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { fromIoredis } from '../backends/redis/index.ts';
import { RedisServer } from '../backends/redis/test-support/redis-server.ts';
import { type RedisGuard, type RedisGuardCommands, redisGuard } from './redis.ts';
import { describeGuard, type GuardUnderTest } from './test-support/guard-suite.ts';

let server: RedisServer;
let commands: RedisGuardCommands;
beforeAll(async () => {
  server = await RedisServer.start();
  commands = fromIoredis(server.admin);
}, 60_000);
afterAll(() => server.stop(), 60_000);

const done = async (): Promise<void> => undefined;
const guardOf = (source: string): RedisGuard => redisGuard(commands, { source });

const subject: GuardUnderTest = {
  async begin(resource, source = 'test') {
    const guard = guardOf(source);
    return {
      fence: (token) => guard.enter(resource, token),
      read: async () => JSON.parse((await server.admin.get(`{${resource}}`)) ?? '[]'),
      async write(tokens, token) {
        await guard.write(resource, token, [['SET', `{${resource}}`, JSON.stringify(tokens)]]);
      },
      commit: done,
      rollback: done,
    };
  },
  raise: (resource, token) => guardOf('test').raise(resource, token),
  changeSource: (resource, to, change) => guardOf(to).changeSource(resource, change),
};

describeGuard('Redis', () => subject);

it('commands run in order under one check, and their replies come back', async () => {
  const replies = await guardOf('test').write('r', 1n, [
    ['SET', '{r}:a', '1'],
    ['INCRBY', '{r}:a', '41'],
    ['GET', '{r}:a'],
  ]);
  expect(replies[1]).toBe(42);
  expect(replies[2]).toBe('42');
  await guardOf('test').enter('r', 2n);
  await expect(guardOf('test').write('r', 1n, [['SET', '{r}:a', '0']])).rejects.toMatchObject({ code: 'STALE_TOKEN' });
  expect(await server.admin.get('{r}:a')).toBe('42');
});

it('a server that evicts keys without a TTL forgets the floor, and takes an old token', async () => {
  const cache = await RedisServer.start(['--maxmemory', '3mb', '--maxmemory-policy', 'allkeys-lru']);
  onTestFinished(() => cache.stop());
  const guard = redisGuard(fromIoredis(cache.admin), { source: 'test' });
  await guard.enter('order:1', 5n);
  await expect(guard.enter('order:1', 3n)).rejects.toMatchObject({ code: 'STALE_TOKEN' });
  // Which key goes is chosen from a sample, so it may take a while until it is this one.
  const isKept = async (): Promise<boolean> => (await cache.admin.keys('*order:1*')).length > 0;
  expect(await isKept()).toBe(true);
  for (let index = 0; await isKept(); index++) await cache.admin.set(`fill:${index}`, 'x'.repeat(20_000));
  await guard.enter('order:1', 3n);
});
