import { expect, it } from 'vitest';
import { createLocks } from '../../core/lock.ts';
import { fromIoredis, fromNodeRedis, redisBackend } from './index.ts';

const sends: readonly (readonly [string, () => unknown])[] = [
  ['throws', () => JSON.parse('no JSON')],
  ['gives nothing', () => undefined],
  ['gives junk', async () => 'junk'],
  ['gives junk for each question', async () => Array(64).fill('junk')],
];

it.each(sends)('a send that %s ends an acquire in time, and not the process', async (_, send) => {
  const locks = createLocks(redisBackend({ send } as never), { ttlMs: 1_000 });
  await expect(locks.lock('x').acquire({ waitMs: 200 })).rejects.toMatchObject({ code: 'UNAVAILABLE', lockName: 'x' });
  await locks.close();
});

it('a client of another library is refused by the name of the one that is needed', () => {
  const ioredis = { status: 'ready', options: {}, call: async () => 'OK', sendCommand: async () => 'OK' };
  const nodeRedis = { options: {}, sendCommand: async () => 'OK' };
  expect(() => fromIoredis(nodeRedis as never)).toThrow('fromIoredis needs a client of ioredis or iovalkey');
  expect(() => fromIoredis(undefined as never)).toThrow(TypeError);
  expect(() => fromNodeRedis(ioredis as never)).toThrow('fromNodeRedis needs a client of node-redis');
  expect(() => fromNodeRedis(undefined as never)).toThrow(TypeError);
});
