import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WorkerProcess } from '../../contract/worker-process.ts';
import { TestEtcd } from './test-support/etcd.ts';
import { eventually, World } from './test-support/world.ts';

// Not part of the set-up: a compiler and 150 packages of sources. Debian has both, and builds without a network.
const GOPATH: string = process.env.HOLDFAST_GOPATH ?? '/usr/share/gocode';
const missing = whyNoGo();

function whyNoGo(): string | undefined {
  if (existsSync(join(GOPATH, 'src/go.etcd.io/etcd/clientv3/concurrency'))) {
    try {
      execFileSync('go', ['version'], { stdio: 'ignore' });
      return undefined;
    } catch {
      // said below
    }
  }
  return 'Go with the client of etcd is missing: apt-get install --no-install-recommends golang-go golang-etcd-server-dev';
}

/** A process with a lock of Go's package `concurrency`, which is told line by line what to do. */
class GoPeer {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(program: string, endpoint: string, name: string, ttlS: number) {
    this.#child = spawn(program, [endpoint, name, String(ttlS)], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    this.#answers = lines[Symbol.asyncIterator]();
  }

  async ask(line: string): Promise<string | undefined> {
    this.#child.stdin?.write(`${line}\n`);
    return (await this.#answers.next()).value;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }
}

describe('beside a program on `concurrency` of Go', () => {
  const world = new World();
  let etcd: TestEtcd;
  let folder: string;

  beforeAll(async () => {
    if (missing !== undefined) return;
    folder = mkdtempSync(join(tmpdir(), 'holdfast-go-'));
    const source = fileURLToPath(new URL('./test-support/go-peer', import.meta.url));
    const env = { ...process.env, GOPATH, GO111MODULE: 'off', CGO_ENABLED: '0', GOCACHE: join(folder, 'cache') };
    execFileSync('go', ['build', '-o', join(folder, 'peer'), '.'], { cwd: source, env, stdio: 'inherit' });
    etcd = await TestEtcd.start();
  }, 600_000);

  afterEach(() => world.end());

  afterAll(async () => {
    await etcd?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });

  function go(name: string, ttlS = 30): GoPeer {
    const peer = new GoPeer(join(folder, 'peer'), etcd.endpoints[0] as string, name, ttlS);
    world.onEnd(() => peer.kill());
    return peer;
  }

  const ours = (ttlMs = 30_000) => world.locks({ endpoints: etcd.endpoints }, { ttlMs, waitMs: 60_000 }).locks;

  const inLine = (name: string, length: number): Promise<void> =>
    eventually(`${length} in line`, async () => {
      return (await etcd.residue()).filter((key) => key.startsWith(`${name}/`)).length === length;
    });

  it('is held by Go or by us, goes over at once when it is released, and keeps one order', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const [first, lock] = [go('o'), ours().lock('o')];
    expect(await first.ask('acquire')).toBe('acquired');
    expect(await lock.tryAcquire()).toBeNull();
    const order: string[] = [];
    const second = lock.acquire().then((lease) => {
      order.push('ours');
      return lease;
    });
    await inLine('o', 2);
    const peer = go('o');
    const third = peer.ask('acquire').then(() => order.push('Go'));
    await inLine('o', 3);
    const releasedAtMs = performance.now();
    expect(await first.ask('release')).toBe('released');
    const lease = await second;
    expect(performance.now() - releasedAtMs).toBeLessThan(1_000); // our heartbeat comes after 5,000 ms
    expect(await go('o').ask('try 300')).toBe('false');
    await lease.release();
    await third;
    expect(order).toEqual(['ours', 'Go']);
  });

  it('excludes under contention: no update of a shared counter is lost', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const [sides, rounds] = [3, 50];
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    const theirs = Array.from({ length: sides }, () => go('c').ask(`count ${rounds} ${counter}`));
    const here = Array.from({ length: sides }, async () => {
      const lock = ours().lock('c');
      for (let round = 0; round < rounds; round++) {
        await lock.run(async () => {
          const count = Number(readFileSync(counter, 'utf8'));
          await new Promise((resolve) => setTimeout(resolve, 1));
          writeFileSync(counter, String(count + 1));
        });
      }
    });
    expect(await Promise.all(theirs)).toEqual(['counted', 'counted', 'counted']);
    await Promise.all(here);
    expect(readFileSync(counter, 'utf8')).toBe(String(2 * sides * rounds));
  }, 120_000);

  it('is free for the other side when either is killed and its lease has run out', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const peer = go('k', 2);
    expect(await peer.ask('acquire')).toBe('acquired');
    const waiting = ours().lock('k').acquire();
    await inLine('k', 2);
    await peer.kill();
    await (await waiting).release();
    const module = new URL('./test-support/backend.mjs', import.meta.url);
    const worker = await WorkerProcess.start({ module, data: { endpoints: etcd.endpoints } }, { ttlMs: 2_000 });
    world.onEnd(() => worker.kill());
    await worker.acquire('k');
    const theirs = go('k').ask('acquire');
    await inLine('k', 2);
    await worker.kill();
    expect(await theirs).toBe('acquired');
  });
});
