import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Instant, systemClock } from '../../core/clock.ts';
import type { FencedLease } from '../../core/lease.ts';
import { seeded } from '../../core/simulation.testing.ts';
import { type HeldClause, heldClause } from './index.ts';
import { TestEtcd } from './test-support/etcd.ts';
import { codeOf, World } from './test-support/world.ts';

let etcd: TestEtcd;
beforeAll(async () => {
  etcd = await TestEtcd.start();
});
afterAll(() => etcd.stop());

const world = new World();
afterEach(() => world.end());

/** A put through etcd's HTTP gateway, in a transaction of the user's own. */
async function put(key: string, value: string, clause: HeldClause): Promise<boolean> {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const { target, result, createRevision } = clause;
  const compare = [{ key: base64(clause.key), target, result, create_revision: createRevision }];
  const body = { compare, success: [{ requestPut: { key: base64(key), value: base64(value) } }] };
  const answer = await fetch(`${etcd.endpoints[0]}/v3/kv/txn`, { method: 'POST', body: JSON.stringify(body) });
  return ((await answer.json()) as { succeeded?: boolean }).succeeded === true;
}

it('a writer that was stopped for longer than its lease is refused with the clause, and not without it', async () => {
  const endpoint = etcd.endpoints[0] as string;
  const program = fileURLToPath(new URL('./test-support/stale-writer.mjs', import.meta.url));
  const writer = spawn(process.execPath, [program, endpoint, 'balance', 'data/'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  world.onEnd(() => writer.kill('SIGKILL'));
  const lines = createInterface({ input: writer.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('checked');
  writer.kill('SIGSTOP');

  const { locks, backend } = world.locks({ endpoints: etcd.endpoints });
  const lease = await locks.lock('balance').acquire({ waitMs: 20_000 });
  for (const key of ['data/guarded', 'data/unguarded']) {
    expect(await put(key, 'fresh', heldClause(backend, lease))).toBe(true);
  }
  writer.kill('SIGCONT');
  expect(JSON.parse((await lines.next()).value as string)).toEqual({ guarded: false, unguarded: true, state: 'lost' });
  expect(await etcd.ctl('get', 'data/guarded', '--print-value-only')).toBe('fresh\n');
  expect(await etcd.ctl('get', 'data/unguarded', '--print-value-only')).toBe('stale\n');
  await lease.release();
});

it('the clause holds from the grant to the release, and not for another backend object', async () => {
  const { locks, backend } = world.locks({ endpoints: etcd.endpoints });
  const lease = await locks.lock('g').acquire();
  const clause = heldClause(backend, lease);
  expect(clause.createRevision).toBe(lease.fencingToken.toString());
  expect(await put('k', '1', clause)).toBe(true);
  const stranger = world.locks({ endpoints: etcd.endpoints }).backend;
  expect(() => heldClause(stranger, lease)).toThrow(/another one/);
  await lease.release();
  expect(await put('k', '2', clause)).toBe(false);
  expect(() => heldClause(backend, lease)).toThrow(/gave it back/);
});

it('the clause of a broken holder is refused at once', async () => {
  const { locks, backend } = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 20_000 });
  const lease = await locks.lock('b').acquire();
  const clause = heldClause(backend, lease);
  await etcd.ctl('del', '--prefix', 'b/');
  expect(await put('k', '1', clause)).toBe(false);
  expect(await codeOf(lease.confirm())).toBe('LOST');
});

it('in random turns of holders and late writers a write is accepted exactly from the one who holds, so tokens never fall', async () => {
  const seed = Number(process.env.HOLDFAST_SEED ?? Date.now() % 1_000_000);
  const random = seeded(seed);
  const { locks, backend } = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 20_000 });
  const lock = locks.lock('p');
  const clauses: HeldClause[] = [];
  let holder: { readonly lease: FencedLease; readonly clause: HeldClause } | undefined;
  let written = 0n;
  for (let step = 0; step < 50; step++) {
    const dice = random();
    if (holder === undefined) {
      const lease = await lock.acquire();
      holder = { lease, clause: heldClause(backend, lease) };
      clauses.push(holder.clause);
    } else if (dice < 0.15) {
      await holder.lease.release();
      holder = undefined;
    } else if (dice < 0.25) {
      await backend.breakLock('p', Instant.plus(systemClock.now(), 5_000));
      await codeOf(holder.lease.confirm()); // it would hear of it at its next renewal, and its own process waits for that
      holder = undefined;
    } else {
      const clause = random() < 0.5 ? holder.clause : (clauses[Math.floor(random() * clauses.length)] as HeldClause);
      const accepted = await put('p-data', clause.createRevision, clause);
      expect(accepted, `seed ${seed}, step ${step}`).toBe(clause === holder.clause);
      if (!accepted) continue;
      expect(BigInt(clause.createRevision)).toBeGreaterThanOrEqual(written);
      written = BigInt(clause.createRevision);
    }
  }
  expect(clauses.length).toBeGreaterThan(3);
  expect(await etcd.ctl('get', 'p-data', '--print-value-only')).toBe(`${written}\n`);
}, 60_000);
