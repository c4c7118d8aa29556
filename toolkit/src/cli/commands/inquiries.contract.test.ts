import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kill, type Outcome, SLOW, Stage, stop } from '../test-support/program.ts';
import { missingRedis, TestRedis } from '../test-support/redis-server.ts';

// The same commands on the embedded file and on Redis: what people on call see must not depend on where the locks are.
describe.each(['embedded', 'redis'])('on %s', SLOW, (where) => {
  let stage: Stage;
  let redis: TestRedis | undefined;

  beforeEach(async ({ skip }) => {
    skip(where === 'redis' && missingRedis !== undefined, missingRedis);
    stage = new Stage();
    redis = where === 'redis' ? await TestRedis.start() : undefined;
  });

  afterEach(async () => {
    await stage?.strike();
    await redis?.stop();
  });

  function run(...args: string[]): Promise<Outcome> {
    return start(...args).outcome;
  }

  function start(...args: string[]): ReturnType<Stage['start']> {
    return stage.start(args, redis === undefined ? {} : { env: { HOLDFAST_URL: redis.url } });
  }

  async function hold(name: string, ...options: string[]): Promise<ReturnType<Stage['start']>> {
    const program = start('run', name, ...options, '--', 'sh', '-c', 'echo $HOLDFAST_TOKEN; sleep 300');
    await program.family();
    return program;
  }

  it('ls shows what is held and waited for, and nothing when nothing is', async () => {
    const nothing = await run('ls');
    expect(nothing).toMatchObject({ code: 0, stdout: '' });
    expect(nothing.stderr).toMatch(/No lock is held or waited for\.$/m);
    expect(JSON.parse((await run('ls', '--json')).stdout)).toEqual({ locks: [] });

    await hold('b');
    await hold('a', '--purpose', 'some work');
    const { code, stdout } = await run('ls');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^LOCK +HOLDER +HELD +LEFT +WAITING +PURPOSE\na +\S+:\d+ .* some work\nb +\S+:\d+ .* sh\n$/);
    expect(JSON.parse((await run('ls', '--json')).stdout).locks).toMatchObject([{ lock: 'a' }, { lock: 'b' }]);
  });

  it('who shows the holder with its token, and the waiters in order', async () => {
    const holder = await hold('x', '--ttl', '1m');
    const { guard } = await holder.family();
    for (const [index, name] of ['first', 'second'].entries()) {
      start('run', 'x', '--wait', '1h', '--purpose', name, '--', 'true');
      for (let waiters = 0; waiters !== index + 1; ) {
        waiters = JSON.parse((await run('who', 'x', '--json')).stdout).waiters.length;
      }
    }
    const { stdout } = await run('who', 'x', '--json');
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      lock: 'x',
      holder: { pid: guard, purpose: 'sh', foreign: false, fencingToken: holder.stdout.trim() },
      waiters: [{ purpose: 'first' }, { purpose: 'second' }],
    });
    expect(report.holder.remainingMs).toBeGreaterThan(20_000);
    expect(report.holder.remainingMs).toBeLessThanOrEqual(60_000);
    expect(Date.now() - Date.parse(report.holder.since)).toBeLessThan(240_000);
    const text = (await run('who', 'x')).stdout;
    expect(text).toContain(`  token    ${report.holder.fencingToken}\n`);
    expect(text).toMatch(/waiting {2}2, in this order:\n {4}1 .*first\n {4}2 .*second\n$/);
  });

  it('who says that nobody holds a lock that nobody holds', async () => {
    expect(await run('who', 'x')).toMatchObject({ code: 0, stdout: 'x\n  held by  nobody\n  waiting  nobody\n' });
    expect(JSON.parse((await run('who', 'x', '--json')).stdout)).toEqual({ lock: 'x', holder: null, waiters: [] });
  });

  it('break takes the lock, tells the holder, and names the token to raise the guard to', async () => {
    const holder = await hold('x', '--ttl', '3s', '--kill-after', '300ms');
    const { code, stdout } = await run('break', 'x', '--yes');
    expect(code).toBe(0);
    const token = BigInt(holder.stdout.trim());
    const [, broken = ''] = stdout.match(/^ {2}token {5}(\d+)$/m) ?? [];
    const [, raiseTo = ''] = stdout.match(/^ {2}raise to {2}(\d+)$/m) ?? [];
    expect(BigInt(broken)).toBe(token);
    expect(BigInt(raiseTo)).toBeGreaterThan(token);
    expect((await holder.outcome).code).toBe(79);
    const next = await run('run', 'x', '--', 'sh', '-c', 'echo $HOLDFAST_TOKEN');
    expect(BigInt(next.stdout.trim())).toBeGreaterThan(BigInt(raiseTo));
  });

  it('break of a lock that nobody holds changes nothing, and ends with 1', async () => {
    const text = await run('break', 'x', '--yes');
    expect(text).toMatchObject({ code: 1, stdout: '' });
    expect(text.stderr).toContain('holdfast: Nobody holds the lock "x": there is nothing to break.');
    const json = await run('break', 'x', '--yes', '--json');
    expect(JSON.parse(json.stdout)).toEqual({ lock: 'x', broken: null, raiseTo: null });
    expect(json.code).toBe(1);
  });

  it('break without a terminal and without --yes breaks nothing, and ends with 64', async () => {
    const holder = await hold('x');
    const { code, stderr } = await run('break', 'x');
    expect(code).toBe(64);
    expect(stderr).toContain('--yes says so');
    expect(JSON.parse((await run('who', 'x', '--json')).stdout)).toMatchObject({ holder: { purpose: 'sh' } });
    kill(holder.pid, 'SIGTERM');
  });

  it('a name that is none ends with 64, and with --json the error is JSON too', async () => {
    const { code, stdout } = await run('who', '', '--json');
    expect(code).toBe(64);
    expect(JSON.parse(stdout)).toEqual({
      error: { exit: 'usage', exitCode: 64, message: 'The name of a lock must not be empty.' },
    });
  });

  it('a server that does not answer ends them with 69', async () => {
    if (redis === undefined) return;
    await stop(redis.pid);
    for (const args of [['ls'], ['who', 'x'], ['break', 'x', '--yes']]) {
      const { code, stderr } = await run(...args);
      expect(code).toBe(69);
      expect(stderr).toMatch(/no answer within 5000 ms/i);
    }
  });
});
