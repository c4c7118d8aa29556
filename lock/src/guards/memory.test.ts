import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkFencingToken } from './http.ts';
import { memoryGuard } from './memory.ts';
import { describeGuard, type GuardUnderTest } from './test-support/guard-suite.ts';

const floors = new Map();
const registers = new Map<string, readonly string[]>();
const done = async (): Promise<void> => undefined;

const subject: GuardUnderTest = {
  async begin(resource, source = 'test') {
    const guard = memoryGuard({ source }, floors);
    return {
      fence: async (token) => guard.enter(resource, token),
      read: async () => [...(registers.get(resource) ?? [])],
      async write(tokens, token) {
        guard.enter(resource, token);
        registers.set(resource, tokens);
      },
      commit: done,
      rollback: done,
    };
  },
  raise: async (resource, token) => memoryGuard({ source: 'test' }, floors).raise(resource, token),
  changeSource: async (resource, to, change) => memoryGuard({ source: to }, floors).changeSource(resource, change),
};

describeGuard('memory', () => subject);

it('a request without a token, with a wrong one, or with a stale one is answered, and others are let in', async () => {
  const guard = memoryGuard({ source: 'test' });
  expect(await checkFencingToken(guard, 'a', {})).toMatchObject({ status: 428 });
  expect(await checkFencingToken(guard, 'a', { 'fencing-token': '1e3' })).toMatchObject({ status: 400 });
  expect(await checkFencingToken(guard, 'a', { 'fencing-token': '9007199254740993' })).toBeUndefined();
  const stale = await checkFencingToken(guard, 'a', new Headers({ 'Fencing-Token': '9007199254740992' }));
  expect(stale?.status).toBe(412);
  expect(stale?.body).toContain('9007199254740993');
});

it('whatever tokens requests come with, those that are served never decrease, and none that may be is refused', async () => {
  const token = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(token, fc.bigInt({ min: 0n, max: 5n })), { maxLength: 40 }), async (tokens) => {
      const guard = memoryGuard({ source: 'test' });
      let floor = 0n;
      for (const each of tokens) {
        const refusal = await checkFencingToken(guard, 'account', { 'fencing-token': String(each) });
        expect(refusal?.status).toBe(each < floor ? 412 : undefined);
        if (refusal === undefined) floor = each;
        else expect(refusal.body).toContain(String(floor));
      }
    }),
  );
});

it('an error of the guard itself is not taken for a stale token', async () => {
  const broken = { enter: () => Promise.reject(new Error('the guard is away')) };
  await expect(checkFencingToken(broken, 'a', { 'fencing-token': '1' })).rejects.toThrow('the guard is away');
});
