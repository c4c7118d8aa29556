import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { overlaps, readLog, stays, worker } from '../test-support/oracle.ts';
import { commandLine, kill, type Program, readProc, SLOW, Stage, stop, until } from '../test-support/program.ts';
import { freePort, missingRedis, TestRedis } from '../test-support/redis-server.ts';
import { Relay } from '../test-support/relay.ts';

const TERMS = ['--ttl', '2s', '--kill-after', '300ms'];

describe('a command under a lock on Redis', SLOW, () => {
  let stage: Stage;
  let redis: TestRedis;
  let log: string;

  beforeEach(async ({ skip }) => {
    skip(missingRedis !== undefined, missingRedis);
    stage = new Stage();
    redis = await TestRedis.start();
    log = stage.file('log');
  });

  afterEach(async () => {
    await stage?.strike();
    await redis?.stop();
  });

  function startFirst(url: string = redis.url): Program {
    return stage.start(['run', 'x', ...TERMS, '--url', url, '--', ...worker(log, 'first', 600_000, 'grandchild')]);
  }

  /** Starts the rival when the first command and its child are inside, and gives it when it stands in line. */
  async function startRival(): Promise<Program> {
    await until(
      () => readLog(log).filter(({ what }) => what === 'enter').length === 2,
      () => 'the first command and its child did not start',
    );
    const args = ['run', 'x', ...TERMS, '--wait', '30s', '--url', redis.url, '--', ...worker(log, 'rival', 100)];
    const rival = stage.start(args);
    await stage.inLine('x', 1, '--url', redis.url);
    return rival;
  }

  function expectNoOverlap({ untilTold }: { untilTold: boolean }): void {
    const all = stays(readLog(log), { untilTold });
    expect(all.map(({ name }) => name).toSorted()).toEqual(['first', 'rival']);
    expect(overlaps(all)).toEqual([]);
  }

  it('is told and ended when an operator breaks the lock, and we end with 79', async () => {
    const first = startFirst();
    const rival = await startRival();
    const broken = await stage.start(['break', 'x', '--yes', '--json', '--url', redis.url]).outcome;
    const brokenMs = process.hrtime.bigint();
    const { code, stderr } = await first.outcome;
    expect(code).toBe(79);
    expect(stderr).toMatch(/holdfast: Lost the lease on "x": broken\. .* The command was ended\./);
    expect((await rival.outcome).code).toBe(0);
    const { broken: holder, raiseTo } = JSON.parse(broken.stdout);
    expect(BigInt(raiseTo)).toBeGreaterThan(BigInt(holder.fencingToken));
    const lines = readLog(log).filter(({ name }) => name === 'first');
    const told = lines.find(({ what }) => what === 'told');
    expect((told?.atMs ?? Number.POSITIVE_INFINITY) - Number(brokenMs) / 1e6).toBeLessThan(1_000);
    await stage.isDeserted();
  });

  it('is ended when the key is deleted: it is told within a renewal, and ended after the grace', async () => {
    const first = startFirst();
    const rival = await startRival();
    await redis.client.del('holdfast:x');
    const { code, stderr } = await first.outcome;
    expect(code).toBe(79);
    expect(stderr).toMatch(/holdfast: Lost the lease on "x": taken\. /);
    expect((await rival.outcome).code).toBe(0);
    const own = stays(readLog(log)).find(({ name }) => name === 'first');
    const told = readLog(log).find(({ name, what }) => name === 'first' && what === 'told');
    expect((own?.toMs ?? 0) - (told?.atMs ?? 0)).toBeLessThan(3_000); // 300 ms, tenfold
    await stage.isDeserted();
  });

  it('is gone before the lease is over when the server falls silent', async () => {
    const relay = await Relay.to(redis.port);
    try {
      const first = startFirst(`redis://127.0.0.1:${relay.port}`);
      const rival = await startRival();
      relay.fallSilent();
      const { code, stderr } = await first.outcome;
      expect(code).toBe(79);
      // On a busy machine the guard may be so late that the front acts in its place.
      expect(stderr).toMatch(/no renewal was answered|guard process was stopped/);
      expect((await rival.outcome).code).toBe(0);
      expectNoOverlap({ untilTold: false });
      await stage.isDeserted();
    } finally {
      relay.close();
    }
  });

  it('is gone before the lease is over when the server is stopped, and the lock is not lost on the server', async () => {
    const first = startFirst();
    const rival = await startRival();
    await stop(redis.pid);
    expect((await first.outcome).code).toBe(79);
    kill(redis.pid, 'SIGCONT');
    expect((await rival.outcome).code).toBe(0);
    expectNoOverlap({ untilTold: false });
    await stage.isDeserted();
  });

  it.each(['front', 'guard', 'front and guard'])(
    'keeps the rival out until it is gone when the %s is killed',
    async (whom) => {
      const first = startFirst();
      const rival = await startRival();
      const { guard } = await first.family();
      if (whom.includes('front')) kill(first.pid, 'SIGKILL');
      if (whom.includes('guard')) kill(guard, 'SIGKILL');
      expect((await rival.outcome).code).toBe(0);
      expectNoOverlap({ untilTold: false });
      await stage.isDeserted();
    },
  );

  it('keeps the rival out until it is gone when the guard is stopped', async () => {
    const first = startFirst();
    const rival = await startRival();
    await stop((await first.family()).guard);
    expect((await first.outcome).code).toBe(79);
    expect((await rival.outcome).code).toBe(0);
    expectNoOverlap({ untilTold: false });
    await stage.isDeserted();
  });

  it('runs on when the front is stopped for two TTLs', async () => {
    const first = startFirst();
    const rival = await startRival();
    await stop(first.pid);
    const [key] = await redis.client.keys('holdfast:x');
    expect(key).toBe('holdfast:x');
    const stoppedMs = performance.now();
    await until(
      () => performance.now() - stoppedMs > 4_500,
      () => 'time stands still',
    );
    kill(first.pid, 'SIGCONT');
    kill(first.pid, 'SIGTERM');
    expect((await first.outcome).code).toBe(143);
    expect((await rival.outcome).code).toBe(0);
    expectNoOverlap({ untilTold: false });
  });

  it('leaves no key but those that remember the tokens', async () => {
    expect((await stage.start(['run', 'x', '--url', redis.url, '--', 'true']).outcome).code).toBe(0);
    const keys = await redis.client.keys('*');
    expect(keys.filter((key) => key === 'holdfast:x')).toEqual([]);
    for (const key of keys) expect(await redis.client.ttl(key)).toBeGreaterThan(0);
    expect(await redis.client.pubsub('CHANNELS')).toEqual([]);
  });

  it('ends with 0, and says so, when the server is away at its end', async () => {
    const program = stage.start(['run', 'x', ...TERMS, '--url', redis.url, '--', 'sh', '-c', 'read go'], {
      stdin: 'pipe',
    });
    await program.family();
    kill(redis.pid, 'SIGKILL');
    program.child.stdin?.end('now\n');
    const { code, stderr } = await program.outcome;
    expect(code).toBe(0);
    expect(stderr).toMatch(/The command has ended, and the lock "x" could not be given back\. It is free in at most /);
  });
});

describe('a backend that cannot give the lock', SLOW, () => {
  const PASSWORD = 'tr0ub4dor&3';
  let stage: Stage;
  let redis: TestRedis;

  beforeEach(async ({ skip }) => {
    skip(missingRedis !== undefined, missingRedis);
    stage = new Stage();
    redis = await TestRedis.start({ password: PASSWORD });
  });

  afterEach(async () => {
    await stage?.strike();
    await redis?.stop();
  });

  const urlWith = (password: string): string => `redis://:${encodeURIComponent(password)}@127.0.0.1:${redis.port}/0`;

  it("ends us with 69 where nobody listens, 77 for a wrong password, 78 where the key is somebody's data", async () => {
    await redis.client.set('holdfast:x', 'data');
    const run = (url: string) => stage.start(['run', 'x', '--wait', '0', '--url', url, '--', 'true']).outcome;
    const away = await run(`redis://127.0.0.1:${await freePort()}`);
    const denied = await run(urlWith('wrong-password'));
    const none = await run(`redis://127.0.0.1:${redis.port}`);
    const foreign = await run(urlWith(PASSWORD));
    expect([away.code, denied.code, none.code, foreign.code]).toEqual([69, 77, 77, 78]);
    expect(away.stderr).toMatch(/holdfast: redis:\/\/127.0.0.1:\d+\/0 cannot be reached: connect ECONNREFUSED/);
    expect(denied.stderr).toMatch(/holdfast: redis:\/\/:\*\*\*@127.0.0.1:\d+\/0 refuses us: WRONGPASS/);
    expect(foreign.stderr).toContain('holdfast: The lock "x" cannot be had');
    for (const { stderr } of [away, denied, none, foreign]) expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('is waited for like a busy lock', async () => {
    const port = await freePort();
    const program = stage.start(['run', 'x', '--wait', '20s', '--url', `redis://127.0.0.1:${port}`, '--', 'true']);
    await until(
      () => stage.processes().some((pid) => commandLine(pid).startsWith('holdfast: guard')),
      () => 'the guard did not start',
    );
    const late = await Relay.to(redis.port, port);
    await redis.client.config('SET', 'requirepass', '');
    expect((await program.outcome).code).toBe(0);
    late.close();
  });

  it.each(['--url', 'HOLDFAST_URL'])('never shows the password of %s to anybody', async (way) => {
    const url = urlWith(PASSWORD);
    const args = ['run', 'x', ...(way === '--url' ? ['--url', url] : []), '--', 'sh', '-c', 'env; sleep 1'];
    const program = stage.start(args, way === '--url' ? {} : { env: { HOLDFAST_URL: url } });
    const { guard, command, watch } = await program.family();
    const forms = [PASSWORD, encodeURIComponent(PASSWORD)];
    const shows = (text: string): boolean => forms.some((form) => text.includes(form));
    for (const pid of [guard, command, watch]) {
      expect(shows(readProc(pid, 'cmdline'))).toBe(false);
      // What the user has exported is the user's; we put it nowhere.
      if (way === '--url') expect(shows(readProc(pid, 'environ'))).toBe(false);
    }
    // Neither is it to be seen in ours, as soon as we have read it.
    expect(shows(readProc(program.pid, 'cmdline'))).toBe(false);
    const { code, stdout, stderr } = await program.outcome;
    expect(code).toBe(0);
    if (way === '--url') expect(shows(stdout)).toBe(false);
    expect(shows(stderr)).toBe(false);

    const env = way === '--url' ? {} : { env: { HOLDFAST_URL: url } };
    const option = way === '--url' ? ['--url', url] : [];
    for (const words of [
      ['run', '--help'],
      ['ls', ...option],
      ['who', 'x', ...option],
      ['who', 'x', '--json', ...option],
    ]) {
      const other = await stage.start(words, env).outcome;
      expect(other.code).toBe(0);
      expect(shows(other.stdout + other.stderr)).toBe(false);
    }
  });
});
