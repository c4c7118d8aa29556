import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AcquireRequest } from '../../core/backend.ts';
import { seeded } from '../../core/simulation.testing.ts';
import { memoryBackend } from '../memory/index.ts';
import type { RedisBackend } from './index.ts';
import { Opened } from './test-support/opened.ts';
import { RedisServer } from './test-support/redis-server.ts';

/** Fewer steps than hand-overs in a row after which Redis leaves the key free once, which the reference does not do. */
const STEPS = 30;
const SEQUENCES = 150;
const OWNERS = 5;

let server: RedisServer;
let opened: Opened;
let redis: RedisBackend;

beforeAll(async () => {
  server = await RedisServer.start();
  opened = new Opened(server);
  redis = opened.backend();
});
afterAll(async () => {
  await opened.close();
  await server.stop();
});

type Operation = 'tryAcquire' | 'enter' | 'stay' | 'release' | 'renew' | 'leave' | 'refuse' | 'transfer' | 'break';

const weights: readonly (readonly [Operation, number])[] = [
  ['tryAcquire', 4],
  ['enter', 6],
  ['stay', 6],
  ['release', 5],
  ['renew', 3],
  ['leave', 2],
  ['refuse', 1],
  ['transfer', 4],
  ['break', 1],
];
const operations: readonly Operation[] = weights.flatMap(([operation, weight]) => Array(weight).fill(operation));

/** What both backends have in common, which is all that the scripts of Redis do. */
type Subject = Pick<
  RedisBackend,
  'tryAcquire' | 'queue' | 'release' | 'renew' | 'withdraw' | 'transfer' | 'breakLock' | 'inspect'
>;

/** Does one step, and gives what must be the same everywhere: the word, and not the token or the time. */
async function step(backend: Subject, operation: Operation, one: AcquireRequest, two: AcquireRequest): Promise<string> {
  switch (operation) {
    case 'tryAcquire':
      return (await backend.tryAcquire(one)).outcome;
    case 'enter':
    case 'stay':
      return (await backend.queue(operation, one)).outcome;
    case 'release':
      return backend.release(one);
    case 'renew':
      return (await backend.renew([one])).join();
    case 'leave':
    case 'refuse':
      await backend.withdraw(one, { mayArriveLate: operation === 'refuse' });
      return 'done';
    case 'transfer':
      return (await backend.transfer(one, two)).outcome;
    case 'break':
      return `broke ${(await backend.breakLock(one.name)).broken?.owner}`;
  }
}

async function look(backend: Subject, name: string): Promise<unknown> {
  const { holder, waiters } = await backend.inspect(name);
  return { holder: holder?.owner, waiters: waiters.map(({ owner }) => owner) };
}

it(`does the same as the reference in memory, step for step, in ${SEQUENCES} random sequences`, async () => {
  const seed = Number(process.env.HOLDFAST_SEED ?? Date.now() % 1_000_000);
  console.info(`  seed ${seed} (HOLDFAST_SEED=${seed} repeats it)`);
  const random = seeded(seed);
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    const memory = memoryBackend() as unknown as Subject;
    const name = `sequence:${seed}:${sequence}`;
    const newOwner = (owner: string): AcquireRequest => {
      return { name, owner, ttlMs: 600_000, heartbeatMs: 200_000, purpose: undefined };
    };
    const owners = Array.from({ length: OWNERS }, (_, index) => newOwner(`${sequence}:${index}`));
    const done: string[] = [];
    for (let index = 0; index < STEPS; index++) {
      const operation = operations[Math.floor(random() * operations.length)] as Operation;
      const one = owners[Math.floor(random() * OWNERS)] as AcquireRequest;
      const two = owners[Math.floor(random() * OWNERS)] as AcquireRequest;
      if (operation === 'transfer' && one === two) continue;
      done.push(`${operation} ${one.owner}${operation === 'transfer' ? ` ${two.owner}` : ''}`);
      const expected = await step(memory, operation, one, two);
      const answer = await step(redis, operation, one, two);
      expect(answer, `seed ${seed}: ${done.join(', ')}`).toBe(expected);
      // Redis refuses the owner id of a broken holder from now on; no caller uses it again.
      const broken = owners.findIndex(({ owner }) => expected === `broke ${owner}`);
      if (broken >= 0) owners[broken] = newOwner(`${owners[broken]?.owner}+`);
      expect(await look(redis, name), `seed ${seed}: ${done.join(', ')}`).toEqual(await look(memory, name));
    }
    await redis.breakLock(name);
    for (const owner of owners) await redis.withdraw(owner, { mayArriveLate: false });
    expect((await redis.inspect(name)).waiters).toEqual([]);
  }
}, 120_000);
