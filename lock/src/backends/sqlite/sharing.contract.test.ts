import { readdirSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readFloor } from './floor.ts';
import { loadEngine } from './test-support/engine.mjs';
import {
  monotonicMs,
  newBackend,
  newFolder,
  newProcess,
  open,
  requestFor,
  soon,
  until,
} from './test-support/folders.ts';
import { hasNamespaces, inNamespaces } from './test-support/namespaces.ts';

const engines = isBuiltin('node:sqlite') ? ['node:sqlite', 'libsql'] : ['libsql'];

function databaseOf(directory: string): string {
  const [boot = ''] = readdirSync(directory).filter((name) => name.startsWith('boot-'));
  return path.join(directory, boot, 'locks.db');
}

/** Starts a thread, and gives its first message. */
function inThread(data: object): { readonly thread: Worker; readonly said: Promise<unknown> } {
  const thread = new Worker(new URL('test-support/thread.mjs', import.meta.url), { workerData: data });
  onTestFinished(async () => {
    await thread.terminate();
  });
  const said = new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
  return { thread, said };
}

describe('processes', () => {
  it('with any two SQLite libraries exclude each other on one file, and wake each other', async () => {
    const directory = newFolder();
    const others = await Promise.all(
      [...engines, ...engines].map((engine) => newProcess({ directory, engine: engine === 'libsql' ? engine : '' })),
    );
    const lists = await Promise.all(
      others.map((other) =>
        other.send<{ token: string; fromMs: number; toMs: number }[]>('passOn', 'x', 2, 40, 30_000),
      ),
    );
    const holds = lists.flat().sort((a, b) => a.fromMs - b.fromMs);
    expect(holds.length).toBeGreaterThanOrEqual(40 * others.length);
    holds.forEach(({ fromMs, token }, index) => {
      const before = holds[index - 1];
      if (before === undefined) return;
      expect(fromMs).toBeGreaterThan(before.toMs);
      expect(BigInt(token)).toBeGreaterThan(BigInt(before.token));
    });
  });

  it('that are killed at random moments leave the file whole, and no token goes back', async () => {
    const directory = newFolder();
    const names = ['x', 'y'];
    const last = new Map<string, bigint>();
    const seen = new Set<bigint>();
    const churning = async () => {
      const other = await newProcess({ directory });
      other.send('churn', names, 60_000).catch(() => undefined); // until it is killed
      return other;
    };
    const others = await Promise.all([churning(), churning()]);
    const observer = newBackend({ directory });
    for (let kill = 0; kill < 12; kill++) {
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 30));
      const victim = others.shift();
      await victim?.kill();
      for (const { name, token } of victim?.tokens ?? []) {
        expect(seen.has(token)).toBe(false);
        seen.add(token);
        if (token > (last.get(name) ?? 0n)) last.set(name, token);
      }
      for (const name of names) {
        const { raiseTo } = await observer.breakLock(name, soon());
        expect(raiseTo).toBeGreaterThan(last.get(name) ?? 0n);
        last.set(name, raiseTo);
      }
      others.push(await churning());
    }
    expect(seen.size).toBeGreaterThan(5);
    const floor = readFloor(path.join(directory, 'floor'));
    for (const token of last.values()) expect(token).toBeLessThanOrEqual(floor);
  }, 120_000);

  it('whose wall clocks are an hour apart neither steal nor prolong', async () => {
    const directory = newFolder();
    const shifted = (ms: number) => ({
      execArgv: ['--import', `data:text/javascript,const now = Date.now; Date.now = () => now() + ${ms};`],
    });
    const [ahead, behind] = [
      await newProcess({ directory, ...shifted(3_600_000) }),
      await newProcess({ directory, ...shifted(-3_600_000) }),
    ];
    for (const [one, two] of [
      [ahead, behind],
      [behind, ahead],
    ] as const) {
      const name = `x${one.pid}`;
      const holder = requestFor(name, { ttlMs: 1_500 });
      const beganMs = monotonicMs();
      expect(await one.call('tryAcquire', holder)).toMatchObject({ outcome: 'granted' });
      expect(await two.call('tryAcquire', requestFor(name))).toMatchObject({ outcome: 'busy' });
      const { atMs } = await two.acquire(requestFor(name));
      expect(atMs - beganMs).toBeGreaterThan(1_499);
      expect(atMs - beganMs).toBeLessThan(3_500);
      expect(await one.call('renew', [holder])).toEqual(['lost']);
    }
  });

  it('get a hand-over also when their wake files were swept away', async () => {
    const directory = newFolder();
    const [one, two] = [newBackend({ directory }), newBackend({ directory })];
    const [holder, waiter] = [requestFor('x', { ttlMs: 600_000 }), requestFor('x', { ttlMs: 600_000 })];
    await one.tryAcquire(holder, soon());
    const granted = new Promise((resolve) => two.listen(waiter, (news) => news && resolve(news)));
    await two.queue('enter', waiter, soon());
    rmSync(path.join(path.dirname(databaseOf(directory)), 'wake'), { recursive: true });
    const releasedMs = monotonicMs();
    await one.release(holder, soon());
    expect(await granted).toMatchObject({ outcome: 'granted' });
    expect(monotonicMs() - releasedMs).toBeLessThan(5_000); // the heartbeat would come after 200 s
  });

  it.runIf(hasNamespaces)('in another time namespace are refused, since their clock is another', async () => {
    const directory = newFolder();
    const shifted = { directory, ...inNamespaces('--time', '--monotonic', '5000') };
    const inside = await newProcess(shifted);
    expect(await inside.call('tryAcquire', requestFor('x'))).toMatchObject({ outcome: 'granted' });
    await expect(newBackend({ directory }).tryAcquire(requestFor('x'), soon())).rejects.toMatchObject({
      code: 'CONFIG',
      message: /time namespace/,
    });
    const another = await newProcess(shifted);
    expect(await another.call('tryAcquire', requestFor('x'))).toMatchObject({ outcome: 'busy' });
  });

  it('with another boot id are refused as long as one of this boot lives', async () => {
    const directory = newFolder();
    const elsewhere = await newProcess({ directory, bootId: '11111111-0000-0000-0000-000000000000' });
    expect(await elsewhere.call('tryAcquire', requestFor('x'))).toMatchObject({ outcome: 'granted' });
    const backend = newBackend({ directory });
    const refused = { code: 'CONFIG', message: /another machine/ };
    await expect(backend.tryAcquire(requestFor('x'), soon())).rejects.toMatchObject(refused);
    await elsewhere.kill();
    expect((await backend.tryAcquire(requestFor('x'), soon())).outcome).toBe('granted');
  });
});

describe('threads of one process', () => {
  it('exclude each other', async () => {
    const [directory, counter] = [newFolder(), new SharedArrayBuffer(4)];
    const threads = Array.from({ length: 3 }, () => inThread({ directory, counter, rounds: 40 }));
    const other = await newProcess({ directory });
    expect(
      await Promise.all([
        ...threads.map(({ said }) => said),
        other.acquire(requestFor('counter')).then(async () => {
          const [before = 0] = new Int32Array(counter);
          await new Promise((resolve) => setTimeout(resolve, 20));
          expect(new Int32Array(counter)[0]).toBe(before); // while another process holds it
          await other.kill();
        }),
      ]),
    ).toEqual(['done', 'done', 'done', undefined]);
    expect(new Int32Array(counter)[0]).toBe(120);
  });

  it('that are ended while they hold free the lock for other processes at once', async () => {
    const directory = newFolder();
    const { thread, said } = inThread({ directory, hold: 600_000 });
    expect(await said).toBe('held');
    const other = await newProcess({ directory });
    expect(await other.call('tryAcquire', requestFor('counter'))).toMatchObject({ outcome: 'busy' });
    await thread.terminate();
    const { atMs } = await other.acquire(requestFor('counter', { ttlMs: 600_000 }));
    expect(atMs).toBeGreaterThan(0); // the TTL, and the heartbeat, would come after minutes
  });

  it('that are ended while they hold free the lock for threads of their process by the TTL', async () => {
    const directory = newFolder();
    const { thread, said } = inThread({ directory, hold: 1_500 });
    expect(await said).toBe('held');
    const here = newBackend({ directory });
    expect((await here.tryAcquire(requestFor('counter'), soon())).outcome).toBe('busy');
    await thread.terminate();
    const endedMs = monotonicMs();
    await until('the lock is free', async () => {
      return (await here.tryAcquire(requestFor('counter'), soon())).outcome === 'granted';
    });
    expect(monotonicMs() - endedMs).toBeLessThan(1_500 + 2_000);
  });

  it('with different copies of SQLite are refused, since those undo each other’s file locks', async () => {
    const directory = newFolder();
    const [counter, rounds] = [new SharedArrayBuffer(4), 1];
    const backend = newBackend({ directory });
    await backend.tryAcquire(requestFor('x'), soon());
    const answers = await Promise.all(
      engines.map((engine) => inThread({ directory, engine: engine === 'libsql' ? engine : '', counter, rounds }).said),
    );
    const { name } = await loadEngine();
    expect(answers).toEqual(engines.map((engine) => (engine === name ? 'done' : 'CONFIG')));
  });
});

describe('a file that is in use', () => {
  it('does not stop the event loop, and the call is answered when the file is free', async () => {
    const directory = newFolder();
    const backend = newBackend({ directory });
    await backend.tryAcquire(requestFor('x'), soon());
    const other = open(databaseOf(directory));
    other.exec('BEGIN EXCLUSIVE');
    const asked = backend.tryAcquire(requestFor('y'), soon());
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
    other.exec('COMMIT');
    other.close();
    expect((await asked).outcome).toBe('granted');
  });

  it('for all of the time that a call has is an error that says so, and nothing was done', async () => {
    const directory = newFolder();
    const backend = newBackend({ directory });
    await backend.tryAcquire(requestFor('x'), soon());
    const other = open(databaseOf(directory));
    other.exec('BEGIN EXCLUSIVE');
    const request = requestFor('y');
    const deadline = (soon() - 20_000 + 200) as ReturnType<typeof soon>;
    await expect(backend.tryAcquire(request, deadline)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      lockName: 'y',
      message: /in use by other processes/,
    });
    other.exec('COMMIT');
    other.close();
    expect((await backend.inspect('y', soon())).holder).toBeNull();
  });
});
