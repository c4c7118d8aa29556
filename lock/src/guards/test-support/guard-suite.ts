/**
 * What is true of every guard, one case for each fact, on a register: a list of tokens that each holder reads, and
 * writes back with its own at the end. A lost update is a missing token.
 *
 * @module
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StaleTokenError } from '../../core/fencing.ts';

/** One holder's access, from the fence to the commit. Where there are no transactions, `commit` and `rollback` do nothing. */
export interface Access {
  fence(token: bigint): Promise<void>;
  read(): Promise<string[]>;
  /** Checks the token once more where the guard does that with each write. */
  write(tokens: readonly string[], token: bigint): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export interface GuardUnderTest {
  /** Begins an access with a guard for tokens of this source. */
  begin(resource: string, source?: string): Promise<Access>;
  raise(resource: string, token: bigint): Promise<void>;
  changeSource(resource: string, to: string, change: { from: string; floor: bigint }): Promise<void>;
  /** Whether the engine's own error means to repeat the whole transaction. */
  isRetry?(error: unknown): boolean;
}

/** A guard as one asks it from outside: each call is a whole access, which is undone where the guard refuses it. */
export interface GuardAnswers {
  fence(resource: string, token: bigint, source?: string): Promise<void>;
  raise(resource: string, token: bigint): Promise<void>;
  changeSource(resource: string, to: string, change: { from: string; floor: bigint }): Promise<void>;
}

/** A guard that works inside a transaction. */
interface TransactionGuard<Transaction> {
  fence(transaction: Transaction, resource: string, token: bigint): void | Promise<void>;
  raise(transaction: Transaction, resource: string, token: bigint): void | Promise<void>;
  changeSource(
    transaction: Transaction,
    resource: string,
    change: { readonly from: string; readonly floor: bigint },
  ): void | Promise<void>;
}

/** The answers of such a guard, each in a transaction of its own. */
export function inTransactions<Transaction>(
  guardOf: (source: string) => TransactionGuard<Transaction>,
  transact: (work: (transaction: Transaction) => void | Promise<void>) => Promise<void>,
): GuardAnswers {
  return {
    fence: (resource, token, source = 'test') =>
      transact((transaction) => guardOf(source).fence(transaction, resource, token)),
    raise: (resource, token) => transact((transaction) => guardOf('test').raise(transaction, resource, token)),
    changeSource: (resource, to, change) =>
      transact((transaction) => guardOf(to).changeSource(transaction, resource, change)),
  };
}

/** Does the work in the transaction that is open on a connection, ends it, and gives the connection back. */
export async function endingTransaction<
  Connection extends { query(sql: string): Promise<unknown>; release(): unknown },
>(connection: Connection, work: (connection: Connection) => void | Promise<void>): Promise<void> {
  try {
    await work(connection);
    await connection.query('COMMIT');
  } catch (error) {
    await connection.query('ROLLBACK');
    throw error;
  } finally {
    connection.release();
  }
}

let resources = 0;
const newResource = (): string => `account:${process.pid}:${++resources}`;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function describeGuard(name: string, guard: () => GuardUnderTest): void {
  const fence = async (resource: string, token: bigint, source?: string): Promise<void> => {
    const opened = await guard().begin(resource, source);
    try {
      await opened.fence(token);
      await opened.commit();
    } catch (error) {
      await opened.rollback();
      throw error;
    }
  };
  describeAnswers(name, () => ({ ...guard(), fence }));

  describe(`the guard in ${name}`, () => {
    it('a guard on writes alone loses an update; a fence before the first read does not', async () => {
      const holder = async (resource: string, token: bigint, seen: readonly string[]): Promise<void> => {
        const writing = await guard().begin(resource);
        try {
          await writing.fence(token);
          await writing.write([...seen, String(token)], token);
          await writing.commit();
        } catch (error) {
          await writing.rollback();
          throw error;
        }
      };
      const readUnfenced = async (resource: string): Promise<string[]> => {
        const reading = await guard().begin(resource);
        const seen = await reading.read();
        await reading.commit();
        return seen;
      };
      const unguarded = newResource();
      const [staleView, rivalView] = [await readUnfenced(unguarded), await readUnfenced(unguarded)];
      await holder(unguarded, 1n, staleView); // it was stopped after its read; its rival has read, and not written
      await holder(unguarded, 2n, rivalView);
      expect(await readUnfenced(unguarded), 'every token in order, and an update is gone').toEqual(['2']);

      const guarded = newResource();
      await readUnfenced(guarded); // the stale holder reads
      await fence(guarded, 2n); // the rival presents its token before it reads
      await expect(holder(guarded, 1n, [])).rejects.toBeInstanceOf(StaleTokenError);
      await holder(guarded, 2n, []);
      expect(await readUnfenced(guarded)).toEqual(['2']);
    });

    it('whatever many holders do at once, accepted tokens never decrease and nothing accepted is lost', async () => {
      const holder = fc.record({
        token: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
        pauses: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 4, maxLength: 4 }),
        accesses: fc.integer({ min: 1, max: 3 }),
      });
      const holders = fc.uniqueArray(holder, { selector: ({ token }) => token, minLength: 2, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(holders, async (all) => {
          const resource = newResource();
          const accepted: string[] = [];
          await Promise.all(all.map((each) => work(guard(), resource, each, accepted)));
          const reading = await guard().begin(resource);
          const written = await reading.read();
          await reading.commit();
          for (const [index, token] of written.entries()) {
            if (index > 0) expect(BigInt(token)).toBeGreaterThanOrEqual(BigInt(written[index - 1] as string));
          }
          expect([...written].sort()).toEqual([...accepted].sort());
        }),
        { numRuns: 25 },
      );
    }, 120_000);
  });
}

/** What a guard answers, in short: for each driver on which it may have to do it. */
export function describeAnswers(name: string, guard: () => GuardAnswers): void {
  const access = (resource: string, token: bigint, source?: string): Promise<unknown> =>
    guard()
      .fence(resource, token, source)
      .then(
        () => 'passed',
        (error: unknown) => error,
      );

  describe(`the guard in ${name}`, () => {
    it('lets equal tokens pass, and refuses smaller ones with both numbers', async () => {
      const resource = newResource();
      expect(await access(resource, 7n)).toBe('passed');
      expect(await access(resource, 7n)).toBe('passed');
      expect(await access(resource, 9n)).toBe('passed');
      const error = await access(resource, 8n);
      expect(error).toBeInstanceOf(StaleTokenError);
      expect(error).toMatchObject({ code: 'STALE_TOKEN', resource, token: 8n, floor: 9n });
      expect(await access(resource, 9n)).toBe('passed');
    });

    it('keeps all digits of a 64-bit token', async () => {
      const resource = newResource();
      for (const token of [2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 2n, 2n ** 63n - 1n]) {
        expect(await access(resource, token)).toBe('passed');
        expect(await access(resource, token - 1n)).toMatchObject({ token: token - 1n, floor: token });
      }
      expect(await access(resource, 2n ** 63n)).toBeInstanceOf(RangeError);
      for (const token of [12, '12']) {
        const error = await access(resource, token as unknown as bigint);
        expect(error).toBeInstanceOf(TypeError);
        expect(error).toMatchObject({ message: expect.stringContaining('must be a bigint') });
      }
    });

    it('refuses at once what an operator has raised the floor above, and never lowers it', async () => {
      const resource = newResource();
      await guard().raise(resource, 5n);
      expect(await access(resource, 4n)).toMatchObject({ token: 4n, floor: 5n });
      await guard().raise(resource, 3n);
      expect(await access(resource, 4n)).toMatchObject({ token: 4n, floor: 5n });
      expect(await access(resource, 5n)).toBe('passed');
    });

    it('refuses tokens of another source until the change is made explicitly', async () => {
      const resource = newResource();
      expect(await access(resource, 1_000n, 'redis:a')).toBe('passed');
      expect(await access(resource, 2_000n, 'etcd:b')).toMatchObject({ code: 'CONFIG' });
      await expect(guard().changeSource(resource, 'etcd:b', { from: 'other', floor: 5n })).rejects.toMatchObject({
        code: 'CONFIG',
      });
      await guard().changeSource(resource, 'etcd:b', { from: 'redis:a', floor: 5n });
      expect(await access(resource, 1_000n, 'redis:a')).toMatchObject({ code: 'CONFIG' });
      expect(await access(resource, 4n, 'etcd:b')).toMatchObject({ token: 4n, floor: 5n });
      expect(await access(resource, 5n, 'etcd:b')).toBe('passed');
    });
  });
}

interface Holder {
  readonly token: bigint;
  readonly pauses: readonly number[];
  readonly accesses: number;
}

/** Does read-modify-write with pauses between all steps, several times, until it is refused. */
async function work(guard: GuardUnderTest, resource: string, holder: Holder, accepted: string[]): Promise<void> {
  const { token, pauses, accesses } = holder;
  const [first = 0, second = 0, third = 0, fourth = 0] = pauses;
  for (let access = 0; access < accesses; access++) {
    await pause(first);
    const opened = await guard.begin(resource);
    try {
      await opened.fence(token);
      await pause(second);
      const seen = await opened.read();
      await pause(third);
      await opened.write([...seen, String(token)], token);
      await pause(fourth);
      await opened.commit();
      accepted.push(String(token));
    } catch (error) {
      await opened.rollback();
      if (error instanceof StaleTokenError) return;
      if (guard.isRetry?.(error) !== true) throw error;
      access--;
    }
  }
}
