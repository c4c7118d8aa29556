import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { missingServer, TestEnsemble } from '../test-support/ensemble.ts';
import { overlaps, readLog, stays, worker } from '../test-support/oracle.ts';
import { kill, type Outcome, SLOW, Stage, stop, until } from '../test-support/program.ts';

// The commands on what holds its locks by a lease or a session, through their URLs.
describe.each(['etcd', 'zookeeper'] as const)('on %s', SLOW, (where) => {
  let stage: Stage;
  let server: TestEnsemble;

  beforeEach(async ({ skip }) => {
    const missing = missingServer(where);
    skip(missing !== undefined, missing);
    stage = new Stage();
    server = await TestEnsemble.start(where);
  });

  afterEach(async () => {
    await stage?.strike();
    await server?.stop();
  });

  function start(...args: string[]): ReturnType<Stage['start']> {
    return stage.start(args, { env: { HOLDFAST_URL: server.url } });
  }

  function run(...args: string[]): Promise<Outcome> {
    return start(...args).outcome;
  }

  async function hold(name: string, ...options: string[]): Promise<ReturnType<Stage['start']>> {
    const program = start('run', name, ...options, '--', 'sh', '-c', 'echo $HOLDFAST_TOKEN; sleep 300');
    await program.family();
    return program;
  }

  it('run gives each command a larger token and its own exit code, and ls shows nothing after it', async () => {
    const first = await run('run', 'x', '--', 'sh', '-c', 'echo $HOLDFAST_TOKEN; exit 3');
    const second = await run('run', 'x', '--', 'sh', '-c', 'echo $HOLDFAST_TOKEN');
    expect([first.code, second.code]).toEqual([3, 0]);
    expect(BigInt(second.stdout.trim())).toBeGreaterThan(BigInt(first.stdout.trim()));
    expect(await run('ls')).toMatchObject({ code: 0, stdout: '' });
  });

  it('ls and who show who holds and who waits, in order', async () => {
    await hold('b');
    const holder = await hold('a', '--purpose', 'some work', '--ttl', '30s');
    const { guard } = await holder.family();
    for (const [index, purpose] of ['first', 'second'].entries()) {
      start('run', 'a', '--wait', '1h', '--purpose', purpose, '--', 'true');
      await stage.inLine('a', index + 1, '--url', server.url);
    }
    const listed = await run('ls');
    expect(listed.stdout).toMatch(/\na +\S+:\d+ .* 2 +some work\nb +\S+:\d+ .* sh\n$/);
    const report = JSON.parse((await run('who', 'a', '--json')).stdout);
    expect(report).toMatchObject({
      lock: 'a',
      holder: { pid: guard, purpose: 'some work', foreign: false, fencingToken: holder.stdout.trim() },
      waiters: [{ purpose: 'first' }, { purpose: 'second' }],
    });
    expect((await run('who', 'a')).stdout).toMatch(/waiting {2}2, in this order:\n {4}1 .*first\n {4}2 .*second\n$/);
    expect((await run('who', 'nobody')).stdout).toBe('nobody\n  held by  nobody\n  waiting  nobody\n');
  });

  it('break takes the lock and tells the holder, and the next token is larger than the one to raise the guard to', async () => {
    const holder = await hold('x', '--ttl', '3s', '--kill-after', '300ms');
    const { code, stdout } = await run('break', 'x', '--yes', '--json');
    expect(code).toBe(0);
    const { broken, raiseTo } = JSON.parse(stdout);
    expect(broken.fencingToken).toBe(holder.stdout.trim());
    expect(BigInt(raiseTo)).toBeGreaterThan(BigInt(broken.fencingToken));
    const ended = await holder.outcome;
    expect(ended.code).toBe(79);
    expect(ended.stderr).toContain('Lost the lease on "x"');
    const next = await run('run', 'x', '--', 'sh', '-c', 'echo $HOLDFAST_TOKEN');
    expect(BigInt(next.stdout.trim())).toBeGreaterThanOrEqual(BigInt(raiseTo));
    expect((await run('break', 'x', '--yes')).code).toBe(1);
  });

  it('a rival gets the lock of a killed guard when its time is over, and never before its command has ended', async () => {
    const log = stage.file('log');
    const terms = ['--ttl', '2s', '--kill-after', '300ms', '--url', server.url];
    const first = stage.start(['run', 'x', ...terms, '--', ...worker(log, 'first', 600_000)]);
    const { guard } = await first.family();
    await until(
      () => readLog(log).some(({ what }) => what === 'enter'),
      () => 'the first command did not start',
    );
    const rival = stage.start(['run', 'x', ...terms, '--wait', '30s', '--', ...worker(log, 'rival', 100)]);
    await stage.inLine('x', 1, '--url', server.url);
    kill(guard, 'SIGKILL');
    expect((await rival.outcome).code).toBe(0);
    expect((await first.outcome).code).not.toBe(0);
    const all = stays(readLog(log), { untilTold: false });
    expect(all.map(({ name }) => name).toSorted()).toEqual(['first', 'rival']);
    expect(overlaps(all)).toEqual([]);
  });

  it('a server that does not answer ends them with 69', async () => {
    await stop(server.pid);
    const outcomes = await Promise.all([run('ls'), run('who', 'x'), run('break', 'x', '--yes')]);
    for (const { code, stderr } of outcomes) {
      expect(code, stderr).toBe(69);
      expect(stderr).toContain('cannot be reached');
    }
  });
});
