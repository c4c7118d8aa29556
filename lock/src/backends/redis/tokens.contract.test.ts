import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RedisBackend } from './index.ts';
import { Opened } from './test-support/opened.ts';
import { RedisServer } from './test-support/redis-server.ts';
import { codeOf, requestFor, until } from './test-support/requests.ts';

const COUNTER = 'holdfast.token:{holdfast:x}';
const SEVEN_DAYS_S = 604_800;

let server: RedisServer;
let opened: Opened;
let backend: RedisBackend;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.admin.flushall();
  opened = new Opened(server);
  backend = opened.backend();
});
afterEach(() => opened.close());

/** Takes the lock, gives it back, and gives the token. */
async function nextToken(): Promise<bigint> {
  const request = requestFor('x');
  const answer = await backend.tryAcquire(request);
  if (answer.outcome !== 'granted' || answer.fencingToken === undefined)
    throw new Error(`Not granted: ${answer.outcome}`);
  await backend.release(request);
  return answer.fencingToken;
}

describe('tokens', () => {
  it('are the time of the server in microseconds', async () => {
    const token = await nextToken();
    const [seconds, micros] = (await server.admin.time()) as unknown as [string, string];
    const now = BigInt(seconds) * 1_000_000n + BigInt(micros);
    expect(now - token).toBeGreaterThanOrEqual(0n);
    expect(now - token).toBeLessThan(60_000_000n);
  });

  it('rise when two grants fall into one microsecond of one script', async () => {
    const requests = Array.from({ length: 50 }, () => requestFor('x'));
    const [first, ...others] = requests as [(typeof requests)[0], ...typeof requests];
    const tokens: bigint[] = [];
    const answer = await backend.tryAcquire(first);
    if (answer.outcome === 'granted') tokens.push(answer.fencingToken ?? 0n);
    let holder = first;
    for (const next of others.slice(0, 30)) {
      const transferred = await backend.transfer(holder, next);
      if (transferred.outcome !== 'granted') throw new Error(transferred.outcome);
      tokens.push(transferred.fencingToken ?? 0n);
      holder = next;
    }
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => (a < b ? -1 : 1)));
  });

  it('rise when the clock of the server is set back, and the report still says since when', async () => {
    const ahead = (await nextToken()) + 3_600_000_000n;
    await server.admin.set(COUNTER, String(ahead)); // as a clock that was an hour ahead would have left it
    expect(await nextToken()).toBe(ahead + 1n);
    expect(await nextToken()).toBe(ahead + 2n);
    await backend.tryAcquire(requestFor('x'));
    const { holder } = await backend.inspect('x');
    expect(holder?.fencingToken).toBe(ahead + 3n);
    expect(Math.abs(Date.now() - (holder?.since?.getTime() ?? 0))).toBeLessThan(60_000);
  });

  it('rise over FLUSHALL, and over a restart without data', async () => {
    const first = await nextToken();
    await server.admin.flushall();
    const second = await nextToken();
    expect(second).toBeGreaterThan(first);
    await server.restart();
    let third = 0n;
    await until('an answer after the restart', async () => {
      third = await nextToken().catch(() => 0n);
      return third > 0n;
    });
    expect(third).toBeGreaterThan(second);
  });

  it('keep their counter for seven days after the last grant, and then leave nothing', async () => {
    await nextToken();
    expect(await server.admin.ttl(COUNTER)).toBeGreaterThan(SEVEN_DAYS_S - 60);
    await server.admin.expire(COUNTER, 100);
    await nextToken();
    expect(await server.admin.ttl(COUNTER)).toBeGreaterThan(SEVEN_DAYS_S - 60);
    expect(await server.keys()).toEqual([]);
  });

  it('end before they lose digits: a counter that cannot be counted on is an error', async () => {
    await server.admin.set(COUNTER, '9007199254740991');
    expect(await nextToken()).toBe(9_007_199_254_740_992n);
    expect(await codeOf(nextToken())).toBe('CONFIG');
    expect(await server.admin.get(COUNTER)).toBe('9007199254740992');
  });

  it('are the same when the same owner asks again, renews, or is told of its hand-over', async () => {
    const [holder, waiter] = [requestFor('x'), requestFor('x')];
    await backend.tryAcquire(holder);
    await backend.queue('enter', waiter);
    await backend.release(holder);
    const granted = await backend.queue('stay', waiter);
    await backend.renew([waiter]);
    expect(await backend.queue('stay', waiter)).toEqual(granted);
    expect(await backend.tryAcquire(waiter)).toEqual(granted);
  });
});

describe('a broken lock', () => {
  it('is told to the holder at its renewal, where no message reaches it', async () => {
    const deaf = opened.backend({ subscriber: false });
    const request = requestFor('x');
    const losses: string[] = [];
    deaf.onLoss((owner, reason) => losses.push(`${owner} ${reason}`));
    await deaf.tryAcquire(request);
    const { broken, raiseTo } = await backend.breakLock('x');
    expect(broken?.owner).toBe(request.owner);
    expect(await deaf.renew([request])).toEqual(['lost']);
    expect(losses).toEqual([`${request.owner} broken`]);
    expect(await nextToken()).toBeGreaterThan(raiseTo);
  });

  it('is told to a holder that listens at once', async () => {
    const request = requestFor('x');
    const losses: string[] = [];
    backend.onLoss((owner, reason) => losses.push(`${owner} ${reason}`));
    await backend.tryAcquire(request);
    await backend.renew([request]);
    await until('the second connection', async () => {
      return ((await server.admin.pubsub('CHANNELS', 'holdfast.inbox:*')) as string[]).length > 0;
    });
    await opened.backend().breakLock('x');
    await until('the message', () => losses.length > 0);
    expect(losses).toEqual([`${request.owner} broken`]);
  });

  it('goes to the next in line, and breaking takes it from a holder of another layout, too', async () => {
    await server.admin.set('holdfast:x', 'somebody', 'PX', 60_000);
    const waiter = requestFor('x');
    await backend.queue('enter', waiter);
    const { broken, raiseTo } = await backend.breakLock('x');
    expect(broken).toMatchObject({ owner: 'somebody', foreign: true, fencingToken: undefined });
    const granted = await backend.queue('stay', waiter);
    expect(granted.outcome === 'granted' && (granted.fencingToken ?? 0n) > raiseTo).toBe(true);
  });

  it('is never data without an expiry', async () => {
    await server.admin.set('holdfast:x', 'data');
    expect(await codeOf(backend.breakLock('x'))).toBe('CONFIG');
    expect(await server.admin.get('holdfast:x')).toBe('data');
  });
});

describe('list', () => {
  it('shows what is held or waited for, with holders of another layout, sorted and without data', async () => {
    await server.admin.set('holdfast:c', 'somebody', 'PX', 60_000);
    await server.admin.set('holdfast:data', 'no lock');
    await server.admin.rpush('holdfast:list', 'no lock');
    await backend.tryAcquire(requestFor('b', { purpose: 'p' }));
    await backend.tryAcquire(requestFor('a'));
    const waiter = requestFor('a');
    await backend.queue('enter', waiter);
    const reports = await backend.list();
    expect(reports.map(({ name, holder }) => [name, holder?.foreign])).toEqual([
      ['a', false],
      ['b', false],
      ['c', true],
    ]);
    expect(reports[0]?.waiters.map(({ owner }) => owner)).toEqual([waiter.owner]);
    expect(reports[1]?.holder?.purpose).toBe('p');
  });

  it('works with a prefix of the client, and without any prefix shows our own locks only', async () => {
    const prefixed = opened.backend({}, { keyPrefix: 'app:' });
    await prefixed.tryAcquire(requestFor('one'));
    expect((await prefixed.list()).map(({ name }) => name)).toEqual(['one']);
    const raw = opened.backend({ keyPrefix: '' });
    await raw.tryAcquire(requestFor('two'));
    await server.admin.pipeline().hset('session', 'user', '1').pexpire('session', 60_000).exec();
    expect((await raw.list()).map(({ name }) => name)).toEqual(['app:holdfast:one', 'two']);
  });

  it('finds all of two thousand', async () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `many:${index}`);
    await Promise.all(names.map((name) => backend.tryAcquire(requestFor(name))));
    expect(await backend.list()).toHaveLength(2_000);
  });
});
