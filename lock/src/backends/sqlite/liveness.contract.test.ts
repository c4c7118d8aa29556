import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
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
import type { OtherProcess } from './test-support/processes.ts';

/** Twenty times what is promised, for a machine under load. */
const AT_ONCE_MS = 2_000;

/** A TTL that no test waits for. */
const LONG = { ttlMs: 600_000, heartbeatMs: 100_000 };

function bootFolder(directory: string): string {
  const [boot = ''] = readdirSync(directory).filter((name) => name.startsWith('boot-'));
  return path.join(directory, boot);
}

async function holds(other: OtherProcess, name: string, ttlMs = LONG.ttlMs): Promise<void> {
  const answer = await other.call<{ outcome: string }>('tryAcquire', requestFor(name, { ...LONG, ttlMs }));
  expect(answer.outcome).toBe('granted');
}

describe('a process that is killed', () => {
  it('frees its locks at once for who waits in another process', async () => {
    const directory = newFolder();
    const [holder, waiter] = [await newProcess({ directory }), await newProcess({ directory })];
    await holds(holder, 'x');
    const acquired = waiter.acquire(requestFor('x', LONG));
    await until('the waiter is in the queue', async () => {
      return (await waiter.call<{ waiters: unknown[] }>('inspect', 'x')).waiters.length === 1;
    });
    const killedMs = await holder.kill();
    expect((await acquired).atMs - killedMs).toBeLessThan(AT_ONCE_MS);
  });

  it('frees its locks at once for a try, for an inspection, and for the list', async () => {
    const directory = newFolder();
    const [holder, rival] = [await newProcess({ directory }), newBackend({ directory })];
    for (const name of ['x', 'y', 'z']) await holds(holder, name);
    expect((await rival.tryAcquire(requestFor('x'), soon())).outcome).toBe('busy');
    expect(await rival.list(soon())).toHaveLength(3);
    await holder.kill();
    expect((await rival.inspect('y', soon())).holder).toBeNull();
    expect((await rival.tryAcquire(requestFor('x'), soon())).outcome).toBe('granted');
    expect((await rival.list(soon())).map(({ name }) => name)).toEqual(['x']);
  });

  it('is skipped as a waiter, also with others that died with it and the holder before it', async () => {
    const directory = newFolder();
    const [holder, first, second] = [
      await newProcess({ directory }),
      await newProcess({ directory }),
      await newProcess({ directory }),
    ];
    const last = newBackend({ directory });
    await holds(holder, 'x');
    for (const other of [first, second]) {
      expect(await other.call('queue', 'enter', requestFor('x', LONG))).toMatchObject({ outcome: 'waiting' });
    }
    const request = requestFor('x', LONG);
    const granted = new Promise((resolve) => last.listen(request, resolve));
    expect((await last.queue('enter', request, soon())).outcome).toBe('waiting');
    const killedMs = monotonicMs();
    await Promise.all([holder, first, second].map((other) => other.kill()));
    expect(await granted).toMatchObject({ outcome: 'granted' });
    expect(monotonicMs() - killedMs).toBeLessThan(AT_ONCE_MS);
  });

  it('keeps its locks for their TTL and no longer, with liveness after-ttl', async () => {
    const directory = newFolder();
    const holder = await newProcess({ directory, liveness: 'after-ttl' });
    const askedMs = monotonicMs();
    await holds(holder, 'x', 5_000);
    await holder.kill();
    // A new object sweeps what the dead have left.
    const rival = newBackend({ directory });
    expect(await rival.tryAcquire(requestFor('x'), soon())).toMatchObject({ outcome: 'busy' });
    expect((await rival.inspect('x', soon())).holder).not.toBeNull();
    const acquired = (await newProcess({ directory })).acquire(requestFor('x', LONG));
    expect((await acquired).atMs - askedMs).toBeGreaterThan(4_999);
  });

  it('leaves no files for long', async () => {
    const directory = newFolder();
    const dead = await newProcess({ directory });
    await dead.call('tryAcquire', requestFor('x', LONG));
    await dead.kill();
    await newBackend({ directory }).tryAcquire(requestFor('y'), soon());
    const files = () => ['alive', 'wake'].map((name) => readdirSync(path.join(bootFolder(directory), name)).length);
    await expect.poll(files).toEqual([1, 1]);
  });
});

describe('a process that is stopped', () => {
  it('keeps its locks until their TTL', async () => {
    const directory = newFolder();
    const [holder, waiter] = [await newProcess({ directory }), await newProcess({ directory })];
    const beganMs = monotonicMs();
    await holds(holder, 'x', 1_500);
    process.kill(holder.pid, 'SIGSTOP');
    await until('it is stopped', () => / T /.test(readFileSync(`/proc/${holder.pid}/stat`, 'utf8')));
    const { atMs } = await waiter.acquire(requestFor('x', { ttlMs: 10_000, heartbeatMs: 3_000 }));
    expect(atMs - beganMs).toBeGreaterThan(1_499);
    expect(atMs - beganMs).toBeLessThan(1_500 + AT_ONCE_MS);
    process.kill(holder.pid, 'SIGCONT');
    expect((await holder.call<{ holder: { pid: number } }>('inspect', 'x')).holder.pid).toBe(waiter.pid);
  });
});

describe('what proves nothing', () => {
  for (const [what, spoil] of [
    ['a liveness file that is missing', (file: string) => rmSync(file)],
    [
      'another file in its place',
      (file: string) => {
        rmSync(file);
        writeFileSync(file, '', { mode: 0o600 });
      },
    ],
  ] as const) {
    it(`leaves it to the TTL: ${what}`, async () => {
      const directory = newFolder();
      const [holder, rival] = [await newProcess({ directory }), newBackend({ directory })];
      const beganMs = monotonicMs();
      await holds(holder, 'x', 1_000);
      const alive = path.join(bootFolder(directory), 'alive');
      for (const name of readdirSync(alive)) spoil(path.join(alive, name));
      expect((await rival.tryAcquire(requestFor('x'), soon())).outcome).toBe('busy'); // though it lives
      await holder.kill();
      await until('the lock is free', async () => {
        return (await rival.tryAcquire(requestFor('x'), soon())).outcome === 'granted';
      });
      expect(monotonicMs() - beganMs).toBeGreaterThan(999);
      expect(monotonicMs() - beganMs).toBeLessThan(1_000 + AT_ONCE_MS);
    });
  }
});

describe('process ids', () => {
  it('decide nothing: a dead holder whose row names a living process is dead', async () => {
    const directory = newFolder();
    const [holder, rival] = [await newProcess({ directory }), newBackend({ directory })];
    await holds(holder, 'x');
    await rival.inspect('x', soon());
    for (const pid of [1, process.pid]) {
      const database = open(path.join(bootFolder(directory), 'locks.db'));
      database.prepare('UPDATE instance SET pid = ?').run(pid);
      database.close();
    }
    expect((await rival.tryAcquire(requestFor('x'), soon())).outcome).toBe('busy');
    await holder.kill();
    expect((await rival.tryAcquire(requestFor('x'), soon())).outcome).toBe('granted');
  });

  it.runIf(hasNamespaces)('of another namespace do not matter: a living holder is alive, a dead one dead', async () => {
    const directory = newFolder();
    const inside = inNamespaces('--pid', '--mount-proc');
    const [one, two] = [await newProcess({ directory, ...inside }), await newProcess({ directory, ...inside })];
    const outside = newBackend({ directory });
    await holds(one, 'x');
    const { holder } = await outside.inspect('x', soon());
    expect(holder?.pid).toBe(1);
    expect((await outside.tryAcquire(requestFor('x'), soon())).outcome).toBe('busy');
    expect(await two.call('tryAcquire', requestFor('x', LONG))).toMatchObject({ outcome: 'busy' });
    await one.kill();
    await until('the lock is free', async () => {
      return (await two.call<{ outcome: string }>('tryAcquire', requestFor('x', LONG))).outcome === 'granted';
    });
  });

  it.runIf(hasNamespaces)('that are given to another process do not keep a dead holder alive', () => {
    const { execPath, execArgv } = inNamespaces('--pid', '--mount-proc');
    const program = fileURLToPath(new URL('test-support/pid-reuse.mjs', import.meta.url));
    const { stdout, stderr } = spawnSync(execPath, [...execArgv, program, newFolder()], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const { holderPid, impostorPid, outcome, tookMs } = JSON.parse(stdout);
    expect(impostorPid).toBe(holderPid);
    expect(outcome).toBe('granted');
    expect(tookMs).toBeLessThan(AT_ONCE_MS);
  });
});

describe('children', () => {
  it('inherit nothing that keeps a lock', async () => {
    const directory = newFolder();
    const rival = newBackend({ directory });
    const program = `
      const { loadEngine } = await import(${JSON.stringify(new URL('test-support/engine.mjs', import.meta.url).href)});
      const { sqliteBackend } = await import(${JSON.stringify(new URL('../../../dist/backends/sqlite/index.mjs', import.meta.url).href)});
      const { spawn } = await import('node:child_process');
      const backend = sqliteBackend((await loadEngine()).open, { directory: ${JSON.stringify(directory)} });
      const request = { name: 'x', owner: 'o', ttlMs: 600000, heartbeatMs: 5000, purpose: undefined };
      await backend.tryAcquire(request, performance.now() + 1e9);
      const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
      console.log(child.pid);
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = await once(parent.stdout, 'data');
    const child = Number(output);
    onTestFinished(() => void process.kill(child, 'SIGKILL'));
    expect((await rival.tryAcquire(requestFor('x'), soon())).outcome).toBe('busy');
    const links = readdirSync(`/proc/${child}/fd`).map((fd) => readlinkSync(`/proc/${child}/fd/${fd}`));
    expect(links.filter((link) => link.includes(directory))).toEqual([]);
    const gone = once(parent, 'exit');
    parent.kill('SIGKILL');
    await gone;
    expect((await rival.tryAcquire(requestFor('x'), soon())).outcome).toBe('granted');
    expect(readFileSync(`/proc/${child}/stat`, 'utf8')).toMatch(/ \(sleep\) S /);
  });

  it('that use the same directory and end take nothing from their parent', async () => {
    const directory = newFolder();
    const parent = newBackend({ directory });
    await parent.tryAcquire(requestFor('x', LONG), soon());
    const child = await newProcess({ directory });
    expect(await child.call('tryAcquire', requestFor('x', LONG))).toMatchObject({ outcome: 'busy' });
    child.child.disconnect();
    await once(child.child, 'exit');
    const other = await newProcess({ directory });
    expect(await other.call('tryAcquire', requestFor('x', LONG))).toMatchObject({ outcome: 'busy' });
  });
});

describe('backend objects of one process', () => {
  it('exclude each other, and closing one takes nothing from the other', async () => {
    const directory = newFolder();
    const [one, two, three] = [newBackend({ directory }), newBackend({ directory }), newBackend({ directory })];
    await one.tryAcquire(requestFor('x', LONG), soon());
    expect((await two.tryAcquire(requestFor('x', LONG), soon())).outcome).toBe('busy');
    await two.close();
    expect((await three.tryAcquire(requestFor('x', LONG), soon())).outcome).toBe('busy');
    const other = await newProcess({ directory });
    expect(await other.call('tryAcquire', requestFor('x', LONG))).toMatchObject({ outcome: 'busy' });
  });
});
