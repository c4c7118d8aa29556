import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { soon } from '../../contract/cases/abilities.ts';
import type { FencedLease } from '../../core/lease.ts';
import { createLocks, type Locks } from '../../core/lock.ts';
import { etcdBackend } from './index.ts';
import { TestEtcd } from './test-support/etcd.ts';

// The other side is the real `etcdctl lock`, which is Go's package `concurrency`.

let etcd: TestEtcd;
let names = 0;
const open: Locks[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  etcd = await TestEtcd.start();
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(open.map((locks) => locks.close()));
  await etcd.stop();
});

function ours(ttlMs = 2_000): Locks<FencedLease> {
  const locks = createLocks(etcdBackend({ endpoints: etcd.endpoints }), { ttlMs });
  open.push(locks);
  return locks;
}

/** `etcdctl lock` that runs a shell script under the lock; it says when it has the lock, and ends when it is told. */
class Theirs {
  readonly child: ChildProcess;
  readonly #said: Promise<number>;

  constructor(name: string, script: string, ttlS = 2) {
    const { args, env } = etcd.ctlCommand();
    const command = [
      ...args,
      'lock',
      '--ttl',
      String(ttlS),
      name,
      '--',
      'sh',
      '-c',
      `echo got $ETCD_LOCK_KEY; ${script}`,
    ];
    this.child = spawn('etcdctl', command, { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    children.push(this.child);
    this.#said = new Promise((resolve) => {
      let text = '';
      this.child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes('got ')) resolve(performance.now());
      });
    });
  }

  /** When it had the lock, in the time of `performance.now`. */
  get holds(): Promise<number> {
    return this.#said;
  }

  async ended(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
  }
}

/** A script that goes on until a file is there. */
function until(file: string): string {
  return `while [ ! -e ${file} ]; do sleep 0.01; done`;
}

function nameAndFile(): [string, string] {
  const name = `interop-${++names}`;
  return [name, join(etcd.folder, `${name}.go`)];
}

/** How many contenders stand in the folder of a lock, however they came there. */
async function contenders(name: string): Promise<number> {
  return (await etcd.residue()).filter((key) => key.startsWith(`${name}/`)).length;
}

async function eventually(what: string, condition: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`Not within 10 s: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('beside `etcdctl lock`', () => {
  it('a lock of etcdctl keeps ours out, and its release wakes us at once', async () => {
    const [name, file] = nameAndFile();
    const theirs = new Theirs(name, until(file));
    await theirs.holds;
    const lock = ours(30_000).lock(name); // the heartbeat of a waiter would come after 5 s
    expect(await lock.tryAcquire()).toBeNull();
    const waiting = lock.acquire();
    await eventually('two contenders', async () => (await contenders(name)) === 2);
    const toldAt = performance.now();
    writeFileSync(file, '');
    const lease = await waiting;
    expect(performance.now() - toldAt).toBeLessThan(2_000);
    await theirs.ended();
    await lease.release();
  });

  it('our lock keeps etcdctl out, and our release wakes it at once', async () => {
    const [name, file] = nameAndFile();
    const lease = await ours(30_000).lock(name).acquire();
    const theirs = new Theirs(name, until(file), 30);
    await eventually('two contenders', async () => (await contenders(name)) === 2);
    let has = false;
    void theirs.holds.then(() => {
      has = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(has).toBe(false);
    const releasedAt = performance.now();
    await lease.release();
    expect((await theirs.holds) - releasedAt).toBeLessThan(2_000);
    writeFileSync(file, '');
    await theirs.ended();
  });

  it('when etcdctl is killed, its lock comes to us by its TTL', async () => {
    const [name, file] = nameAndFile();
    const theirs = new Theirs(name, until(file), 1);
    await theirs.holds;
    const waiting = ours().lock(name).acquire({ waitMs: 10_000 });
    process.kill(-(theirs.child.pid as number), 'SIGKILL');
    const lease = await waiting;
    await lease.release();
  });

  it('when we are killed, our lock comes to etcdctl by its TTL', async () => {
    const [name, file] = nameAndFile();
    const worker = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { createLocks } from ${JSON.stringify(new URL('../../../dist/index.mjs', import.meta.url).href)};
         import { etcdBackend } from ${JSON.stringify(new URL('../../../dist/backends/etcd/index.mjs', import.meta.url).href)};
         await createLocks(etcdBackend({ endpoints: ${JSON.stringify(etcd.endpoints)} }), { ttlMs: 1000 }).lock('${name}').acquire();
         console.log('got');
         setInterval(() => undefined, 1000);`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    children.push(worker);
    await once(worker.stdout as NodeJS.ReadableStream, 'data');
    const theirs = new Theirs(name, until(file), 30);
    await eventually('two contenders', async () => (await contenders(name)) === 2);
    const killedAt = performance.now();
    worker.kill('SIGKILL');
    expect((await theirs.holds) - killedAt).toBeLessThan(5_000);
    writeFileSync(file, '');
    await theirs.ended();
  });

  it('both stand in one line, in the order in which they came', async () => {
    const [name, file] = nameAndFile();
    const log = join(etcd.folder, `${name}.log`);
    writeFileSync(file, '');
    const holder = await ours().lock(name).acquire();
    const ends: Promise<unknown>[] = [];
    for (const place of [1, 2, 3, 4, 5, 6]) {
      if (place % 2 === 0) {
        ends.push(
          ours()
            .lock(name)
            .run(() => appendFileSync(log, `${place}\n`), { waitMs: 30_000 }),
        );
      } else {
        ends.push(new Theirs(name, `echo ${place} >> ${log}`).ended());
      }
      await eventually(`${place + 1} contenders`, async () => (await contenders(name)) === place + 1);
    }
    await holder.release();
    await Promise.all(ends);
    expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  it('under contention neither side ever enters while the other is in', async () => {
    const [name] = nameAndFile();
    const inside = join(etcd.folder, `${name}.inside`);
    const overlaps = join(etcd.folder, `${name}.overlaps`);
    const entries = join(etcd.folder, `${name}.entries`);
    const enter = `if ! mkdir ${inside}; then echo x >> ${overlaps}; fi; echo x >> ${entries}; sleep 0.002; rmdir ${inside}`;
    const theirs = Array.from({ length: 12 }, () => new Theirs(name, enter, 10).ended());
    const mine = Array.from({ length: 4 }, async () => {
      const lock = ours(10_000).lock(name);
      for (let round = 0; round < 5; round++) {
        await lock.run(
          async () => {
            const script = spawn('sh', ['-c', enter], { stdio: 'inherit' });
            await once(script, 'exit');
          },
          { waitMs: 60_000 },
        );
      }
    });
    await Promise.all([...theirs, ...mine]);
    expect(existsSync(overlaps)).toBe(false);
    expect(readFileSync(entries, 'utf8').trim().split('\n')).toHaveLength(12 + 20);
  }, 90_000);

  it('people on call see whose lock it is, and can break it', async () => {
    const [name, file] = nameAndFile();
    const theirs = new Theirs(name, until(file), 30);
    await theirs.holds;
    const backend = etcdBackend({ endpoints: etcd.endpoints });
    const { holder } = await backend.inspect(name, soon());
    expect(holder?.foreign).toBe(true);
    expect(holder?.remainingMs).toBeGreaterThan(20_000);
    const { broken } = await backend.breakLock(name, soon());
    expect(broken?.owner).toBe(holder?.owner);
    const lease = await ours().lock(name).tryAcquire();
    expect(lease).not.toBeNull();
    await lease?.release();
    await backend.close();
    writeFileSync(file, '');
    await theirs.ended();
  });
});
