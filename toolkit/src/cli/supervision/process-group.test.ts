import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { childrenOf, kill, stateOf, until } from '../test-support/program.ts';
import { birthOf, groupsWithEnvironment, killWithEnvironment, ProcessGroup, parseStat } from './process-group.ts';

const leaders: ChildProcess[] = [];

afterEach(() => {
  for (const { pid } of leaders.splice(0)) if (pid !== undefined) kill(-pid, 'SIGKILL');
});

/** Starts a shell in a session of its own. */
function start(script: string): ProcessGroup {
  const child = spawn('sh', ['-c', script], { detached: true, stdio: 'ignore' });
  leaders.push(child);
  const { pid = 0 } = child;
  return new ProcessGroup(pid, birthOf(pid));
}

describe('a process group', () => {
  it('has the processes that its leader has started, and those that these have started', async () => {
    const group = start('sleep 300 & sh -c "sleep 301 & wait" & wait');
    await until(
      () => group.living().length === 4,
      () => `it has ${group.living().length} processes`,
    );
    expect(group.living()).toContain(group.id);
  });

  it('lives on without its leader', async () => {
    const group = start('sleep 300 & exit 0');
    await until(
      () => stateOf(group.id) === undefined && group.living().length === 1,
      () => 'the leader did not end',
    );
    group.signal('SIGKILL', { wholeSession: true });
    await until(
      () => group.living().length === 0,
      () => 'it did not end',
    );
  });

  it('is gone when only zombies are left, whether or not anybody reaps them', async () => {
    // The parent of the leader is stopped, so that the leader stays a zombie.
    const parent = spawn(process.execPath, [
      '-e',
      "const child = require('node:child_process').spawn('sleep', ['300'], { detached: true }); setInterval(() => child, 1000)",
    ]);
    leaders.push(parent);
    const [pid] = await until(
      () => (childrenOf(parent.pid ?? 0).length === 1 ? childrenOf(parent.pid ?? 0) : undefined),
      () => 'the child did not start',
    );
    const group = new ProcessGroup(pid ?? 0, birthOf(pid ?? 0));
    kill(parent.pid ?? 0, 'SIGSTOP');
    group.signal('SIGKILL', { wholeSession: false });
    await until(
      () => stateOf(group.id) === 'Z',
      () => 'it did not become a zombie',
    );
    expect(() => process.kill(-group.id, 0)).not.toThrow(); // the kernel still knows the group
    expect(group.living()).toEqual([]);
    parent.kill('SIGKILL');
  });

  it('is read from ps where the system has no /proc', async () => {
    const group = start('sleep 300 & wait');
    await until(
      () => group.living().length === 2,
      () => 'the child did not start',
    );
    const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
    Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' });
    try {
      const elsewhere = new ProcessGroup(group.id, undefined);
      expect(elsewhere.living()).toHaveLength(2);
      elsewhere.signal('SIGKILL', { wholeSession: true });
      await until(
        () => elsewhere.living().length === 0,
        () => 'it did not end',
      );
    } finally {
      Object.defineProperty(process, 'platform', platform);
    }
  });

  it('is not the later group that has been given its number', async () => {
    const later = start('sleep 300');
    const earlier = new ProcessGroup(later.id, '1'); // born at the start of the machine
    expect(earlier.living()).toEqual([]);
    earlier.signal('SIGKILL', { wholeSession: true });
    earlier.signalLeader('SIGKILL');
    expect(later.living().length).toBeGreaterThan(0);
    expect(stateOf(later.id)).toMatch(/[SRD]/); // alive
  });
});

describe('processes of which only the environment is known', () => {
  it('are found as groups, and can be killed', async () => {
    const entry = `MARK=${randomUUID()}`;
    const child = spawn('sh', ['-c', 'sleep 300 & wait'], {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, MARK: entry.slice('MARK='.length) },
    });
    leaders.push(child);
    await until(
      () => groupsWithEnvironment([entry])[0]?.living().length === 2,
      () => 'they were not found',
    );
    expect(groupsWithEnvironment([entry]).map(({ id }) => id)).toEqual([child.pid]);
    expect(groupsWithEnvironment([entry, 'MARK=another'])).toEqual([]);
    killWithEnvironment(entry);
    await until(
      () => groupsWithEnvironment([entry]).length === 0,
      () => 'they were not killed',
    );
  });
});

describe('what /proc says about a process', () => {
  it('is read right, whatever the program is called', () => {
    const stat = `12 (a) b (c) S 1 12 13 0 -1 ${Array.from({ length: 12 }, () => '0').join(' ')} 1 0 4242 0`;
    expect(parseStat(12, stat)).toMatchObject({ pid: 12, state: 'S', group: 12, session: 13 });
    expect(parseStat(12, '')).toBeUndefined();
  });

  it('names this very process', () => {
    const own = parseStat(process.pid, readFileSync('/proc/self/stat', 'latin1'));
    expect(own).toMatchObject({ state: 'R', startedAt: birthOf(process.pid) });
  });
});
