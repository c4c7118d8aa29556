import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { overlaps, readLog, stays, worker } from '../test-support/oracle.ts';
import { childrenOf, commandLine, kill, type Program, SLOW, Stage, stop, until } from '../test-support/program.ts';

// The first command never ends by itself, has a child that ignores SIGTERM, and a rival waits for its lock. Whatever is
// done to our processes, the rival must come in, and only after the last sign of life of the first one's processes.

let stage: Stage;
let log: string;

beforeEach(() => {
  stage = new Stage();
  log = stage.file('log');
});

afterEach(async () => {
  await stage.strike();
});

const TERMS = ['--ttl', '2s', '--kill-after', '300ms'];

function startFirst(...terms: string[]): Program {
  return stage.start(['run', 'x', ...TERMS, ...terms, '--', ...worker(log, 'first', 600_000, 'grandchild')]);
}

/** Starts the rival when both processes of the first command are inside, and gives it when it stands in line. */
async function startRival(): Promise<Program> {
  await until(
    () => readLog(log).filter(({ what }) => what === 'enter').length === 2,
    () => 'the first command and its child did not start',
  );
  const rival = stage.start(['run', 'x', ...TERMS, '--wait', '30s', '--', ...worker(log, 'rival', 100)]);
  await stage.inLine('x', 1);
  return rival;
}

function expectNoOverlap(): void {
  const all = stays(readLog(log));
  expect(all.map(({ name }) => name).toSorted()).toEqual(['first', 'rival']);
  expect(overlaps(all)).toEqual([]);
}

/** Whether the processes of the first command were asked before they were made to end. */
function wasTold(): boolean {
  return readLog(log).some(({ name, what }) => name === 'first' && what === 'told');
}

describe('a lock whose command runs', SLOW, () => {
  it('is released after the command is gone when the front is killed', async () => {
    const first = startFirst();
    const rival = await startRival();
    kill(first.pid, 'SIGKILL');
    expect((await rival.outcome).code).toBe(0);
    expectNoOverlap();
    expect(wasTold()).toBe(true);
    await stage.isDeserted();
    expect(first.stderr).toContain(
      'holdfast: The front process was killed. The command was ended, then the lock "x" was released.',
    );
  });

  it('is released after the command is gone when the guard is killed', async () => {
    const first = startFirst();
    const rival = await startRival();
    kill((await first.family()).guard, 'SIGKILL');
    const { code, stderr } = await first.outcome;
    expect(code).toBe(79);
    expect(stderr).toContain(
      'The guard process was killed while the command ran under the lock "x". The command was ended.',
    );
    expect((await rival.outcome).code).toBe(0);
    expectNoOverlap();
    expect(wasTold()).toBe(true);
    await stage.isDeserted();
  });

  it('is released after the command is gone when the guard is killed in the moment of starting it', async () => {
    const first = startFirst();
    const guard = await until(
      () => childrenOf(first.pid)[0],
      () => 'the guard did not start',
    );
    // The last watch is its first child, the command its second: it is killed while it starts them.
    while (childrenOf(guard).length === 0) await setImmediate();
    kill(guard, 'SIGKILL');
    // Killed a moment earlier it had started nothing, which has an exit code of its own.
    const { code, stderr } = await first.outcome;
    expect([70, 79]).toContain(code);
    expect(stderr).toContain(code === 79 ? 'The command was ended.' : 'The command was not started;');
    if (code === 70) expect(readLog(log)).toEqual([]);
    expect((await stage.start(['run', 'x', '--wait', '30s', '--', ...worker(log, 'rival', 100)]).outcome).code).toBe(0);
    expect(overlaps(stays(readLog(log)))).toEqual([]);
    await stage.isDeserted();
  });

  it('is free only after the command is gone when front and guard are killed at once', async () => {
    const first = startFirst();
    const rival = await startRival();
    const { guard } = await first.family();
    kill(first.pid, 'SIGKILL');
    kill(guard, 'SIGKILL');
    expect((await rival.outcome).code).toBe(0);
    expectNoOverlap();
    expect(wasTold()).toBe(true);
    await stage.isDeserted();
  });

  it('is released after the command is gone when the guard is stopped for longer than the TTL', async () => {
    const first = startFirst();
    const rival = await startRival();
    await stop((await first.family()).guard);
    const { code, stderr } = await first.outcome;
    expect(code).toBe(79);
    expect(stderr).toContain('The guard process was stopped while the command ran under the lock "x".');
    expect((await rival.outcome).code).toBe(0);
    expectNoOverlap();
    expect(wasTold()).toBe(true);
    await stage.isDeserted();
  });

  it('is not waited for by a guard that is stopped, which leaves no place in the line', async () => {
    const first = startFirst();
    const waiting = await startRival();
    const [guard = 0] = childrenOf(waiting.pid);
    await stop(guard);
    const { code, stderr } = await waiting.outcome;
    expect(code).toBe(70);
    expect(stderr).toContain('was stopped, and was ended, before it started the command under the lock "x"');
    await stage.inLine('x', 0);
    kill(first.pid, 'SIGTERM');
    expect((await first.outcome).code).toBe(143);
    expect(readLog(log).some(({ name }) => name === 'rival')).toBe(false);
    await stage.isDeserted();
  });

  it('is kept when the front is stopped for longer than the TTL, and nothing is lost', async () => {
    const first = startFirst();
    const rival = await startRival();
    await stop(first.pid);
    await sleep(4_500); // the fault itself: two TTLs
    expect(readLog(log).some(({ name }) => name === 'rival')).toBe(false);
    kill(first.pid, 'SIGCONT');
    kill(first.pid, 'SIGTERM');
    expect((await first.outcome).code).toBe(143);
    expect((await rival.outcome).code).toBe(0);
    expectNoOverlap();
    await stage.isDeserted();
  });

  it('is given up when the front is stopped and the guard is killed', async () => {
    const first = startFirst();
    const rival = await startRival();
    await stop(first.pid);
    kill((await first.family()).guard, 'SIGKILL');
    expect((await rival.outcome).code).toBe(0);
    expectNoOverlap();
    kill(first.pid, 'SIGCONT');
    expect((await first.outcome).code).toBe(79);
    await stage.isDeserted();
  });

  it('ends its command at once when both were stopped for longer than the TTL and go on', async () => {
    const first = startFirst();
    const rival = await startRival();
    const { guard } = await first.family();
    await stop(first.pid);
    await stop(guard);
    expect((await rival.outcome).code).toBe(0); // while both are stopped nobody can end the command: an overlap
    kill(guard, 'SIGCONT');
    kill(first.pid, 'SIGCONT');
    const wokenMs = performance.now();
    expect((await first.outcome).code).toBe(79);
    expect(performance.now() - wokenMs).toBeLessThan(5_000);
    await stage.isDeserted();
  });

  it('leaves nothing when the last watch is killed, and the command does not notice', async () => {
    const first = stage.start(['run', 'x', ...TERMS, '--', ...worker(log, 'first', 500)]);
    kill((await first.family()).watch, 'SIGKILL');
    expect((await first.outcome).code).toBe(0);
    await stage.isDeserted();
  });

  it('ends the groups that the command has made in its session as well', async () => {
    // With job control, as in an interactive shell, each job is a process group of its own.
    const first = stage.start(['run', 'x', ...TERMS, '--', 'bash', '-mc', 'sleep 300 & wait']);
    await until(
      () => stage.processes().some((pid) => commandLine(pid) === 'sleep 300'),
      () => 'the job did not start',
    );
    kill(first.pid, 'SIGKILL');
    await stage.isDeserted();
  });
});
