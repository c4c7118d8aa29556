import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { CheckupRun, RUN_LIMIT_MS, repository } from './checkup.testing.ts';
import { Reaper } from './reaper.ts';
import type { Result, Run } from './result.ts';
import { findRedisServer } from './servers/find-server.ts';
import { RedisServer } from './servers/redis.ts';
import { verdicts } from './whole-checkup.testing.ts';

const myLock = path.join(repository, 'examples/my-lock.mjs');
const testSubject = (name: string): string => path.join(repository, `toolkit/src/lab/test-subjects/${name}.mjs`);

beforeEach((context) => {
  if (process.platform !== 'linux')
    context.skip('What a run leaves behind is looked up in /proc, which only Linux has.');
});

const runs: CheckupRun[] = [];
afterEach(() => {
  for (const run of runs.splice(0)) run.dispose();
});

function start(args: readonly string[], env?: NodeJS.ProcessEnv): CheckupRun {
  const run = new CheckupRun(args, env);
  runs.push(run);
  return run;
}

function needsRedis(context: TestContext): void {
  const redis = findRedisServer();
  if ('missing' in redis) context.skip(redis.missing);
}

function resultOf({ results }: Run, experiment: string, subject: string): Result {
  const result = results.find((one) => one.experiment === experiment && one.subject === subject);
  if (!result) throw new Error(`There is no result of ${experiment} with ${subject}.`);
  return result;
}

describe('a check-up of locks on Redis', { timeout: RUN_LIMIT_MS }, () => {
  it('finds what a kill and a pause do to a naive lock, and to one with tokens', async (context) => {
    needsRedis(context);
    const run = start([
      'crash',
      'pause',
      '--subject',
      'setnx',
      '--subject',
      myLock,
      '--ttl',
      '1s',
      '--json',
      'run.json',
    ]);
    const { code, stdout, stderr } = await run.ended;
    expect(code, stdout + stderr).toBe(0);
    await run.leavesNothing();

    const json = JSON.parse(readFileSync(path.join(run.folder, 'run.json'), 'utf8')) as Run;
    expect(verdicts(json.results)).toEqual([
      'crash setnx safe',
      'crash my-lock safe',
      'pause setnx unsafe',
      'pause my-lock safe',
    ]);
    expect(json).toMatchObject({ version: 1, machine: { node: process.version } });
    expect(json.machine.servers[0]).toMatch(/^redis \d/);

    const crash = resultOf(json, 'crash', 'setnx').figures;
    expect(crash.tries).toBeGreaterThan(2);
    // The lock was taken a moment before the kill, so it is free a little less than a TTL after it.
    expect(crash.recoveryMs).toBeGreaterThan(100);
    expect(crash.recoveryMs).toBeLessThan(7_000);

    const naive = resultOf(json, 'pause', 'setnx').figures;
    expect(naive.staleWritesAccepted).toBeGreaterThan(0);
    expect(naive.falseBeliefMs).toBeGreaterThan(0);
    expect(naive.staleWritesRefused).toBeUndefined();

    const fenced = resultOf(json, 'pause', 'my-lock').figures;
    expect(fenced).toMatchObject({ staleWritesPastGuard: 0, tokensInOrder: true, overlapMs: 0 });
    expect(fenced.staleWritesRefused).toBeGreaterThan(0);
    // The same writes, where no guard stands before the data.
    expect(fenced.staleWritesAccepted).toBeGreaterThan(0);
  });

  it('finds that a failover gives the lock to two, and that tokens from a counter beside it do not help', async (context) => {
    needsRedis(context);
    const run = start([
      'failover',
      '--subject',
      'setnx',
      '--subject',
      myLock,
      '--subject',
      'holdfast:redis',
      '--subject',
      'holdfast:redis+wait',
      '--json',
      '-',
    ]);
    const { code, stdout, stderr } = await run.ended;
    const json = JSON.parse(stdout) as Run;
    expect(verdicts(json.results), stderr).toEqual([
      'failover setnx unsafe',
      'failover my-lock unsafe',
      'failover holdfast:redis safe',
      'failover holdfast:redis+wait safe',
      'failover-sentinel setnx unsafe',
      'failover-sentinel my-lock unsafe',
      'failover-sentinel holdfast:redis safe',
      'failover-sentinel holdfast:redis+wait safe',
    ]);
    // What its replica must have it does not give while that is cut off, and gives when it follows again.
    expect(resultOf(json, 'failover', 'holdfast:redis+wait').figures.lockRefused).toBe(true);
    expect(resultOf(json, 'failover', 'holdfast:redis').figures.lockKept).toBe(false);
    expect(code, 'a lock of a user that is unsafe is not what its user expects').toBe(1);
    expect(resultOf(json, 'failover', 'my-lock').figures.tokensInOrder).toBe(false);

    const ours = resultOf(json, 'failover', 'holdfast:redis');
    expect(ours.checks.find((check) => check.checker === 'mutual-exclusion')?.verdict).toBe('unsafe');
    expect(ours.figures).toMatchObject({ tokensInOrder: true, staleWritesPastGuard: 0 });
    expect(ours.figures.staleWritesRefused).toBeGreaterThan(0);
    await run.leavesNothing();
  });

  it('does not disturb another check-up at the same time', async (context) => {
    needsRedis(context);
    const args = ['crash', 'pause', '--subject', 'setnx', '--ttl', '1s', '--json', '-'];
    const both = [start(args), start(args)];
    for (const run of both) {
      const { code, stdout, stderr } = await run.ended;
      expect(code, stderr).toBe(0);
      expect(verdicts((JSON.parse(stdout) as Run).results)).toEqual(['crash setnx safe', 'pause setnx unsafe']);
      await run.leavesNothing();
    }
  });

  it('keeps histories and logs when it is asked to, and they can be read', async (context) => {
    needsRedis(context);
    const run = start(['crash', '--subject', 'setnx', '--ttl', '1s', '--keep']);
    expect((await run.ended).code).toBe(0);
    await run.leavesNothing();
    const [kept = ''] = readdirSync(path.join(run.folder, 'holdfast-runs'));
    const folder = path.join(run.folder, 'holdfast-runs', kept);
    expect(readdirSync(path.join(folder, 'crash-setnx')).sort()).toEqual(['history.jsonl', 'redis.log']);
    expect(readdirSync(folder).sort()).toEqual(['crash-setnx', 'run.json']);
  });
});

describe("a check-up on a user's own server", { timeout: RUN_LIMIT_MS }, () => {
  it('leaves it as it was, kills only its own holders, and never shows the password', async (context) => {
    needsRedis(context);
    const theirs = await startTheirRedis('p@ss word');
    try {
      await theirs.client.set('untouched', 'before');
      const password = encodeURIComponent('p@ss word');
      const url = theirs.url.replace('redis://', `redis://default:${password}@`);
      const run = start(['--ttl', '1s', '--subject', 'setnx', '--subject', myLock, '--json', 'run.json', '--keep'], {
        HOLDFAST_CHECKUP_URL: url,
      });
      const { code, stdout, stderr } = await run.ended;
      expect(code, stdout + stderr).toBe(0);
      await run.leavesNothing();
      const text = readFileSync(path.join(run.folder, 'run.json'), 'utf8');
      const ran = (JSON.parse(text) as Run).results.filter(({ verdict }) => verdict !== 'not-run');
      expect(ran.map(({ experiment, subject }) => `${experiment} ${subject}`)).toEqual([
        'crash setnx',
        'crash my-lock',
        'pause setnx',
        'pause my-lock',
        'herd setnx',
        'herd my-lock',
      ]);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain('with --url the lab does nothing to a server');

      expect(await theirs.client.keys('*')).toEqual(['untouched']);
      expect(await theirs.client.get('untouched')).toBe('before');
      const [kept = ''] = readdirSync(path.join(run.folder, 'holdfast-runs'));
      const files = filesIn(path.join(run.folder, 'holdfast-runs', kept)).map((file) => readFileSync(file, 'utf8'));
      for (const said of [stdout, stderr, text, ...files]) {
        expect(said).not.toContain('p@ss word');
        expect(said).not.toContain(password);
      }
    } finally {
      await theirs.stop();
    }
  });

  it('is left as it was by Ctrl-C, too', async (context) => {
    needsRedis(context);
    const theirs = await startTheirRedis('geheim');
    try {
      const url = theirs.url.replace('redis://', 'redis://:geheim@');
      const run = start(['pause', '--ttl', '60s', '--subject', 'setnx'], { HOLDFAST_CHECKUP_URL: url });
      await expect.poll(() => theirs.client.keys('*'), { timeout: RUN_LIMIT_MS }).toHaveLength(1);
      run.process.kill('SIGINT');
      expect((await run.ended).code).toBe(130);
      expect(await theirs.client.keys('*')).toEqual([]);
      await run.leavesNothing();
    } finally {
      await theirs.stop();
    }
  });

  it('says without the password why it cannot reach it', async (context) => {
    needsRedis(context);
    const run = start(['crash', '--subject', 'holdfast:redis', '--url', 'redis://:geheim@127.0.0.1:1', '--json', '-']);
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(2);
    expect(resultOf(JSON.parse(stdout), 'crash', 'holdfast:redis').reason).toContain('127.0.0.1:1');
    expect(stdout + stderr).not.toContain('geheim');
    await run.leavesNothing();
  });

  it('are left as they were by Ctrl-C, where a lock is on several', async (context) => {
    needsRedis(context);
    const theirs = await Promise.all([1, 2, 3].map(() => startTheirRedis('geheim')));
    try {
      const keys = (): Promise<string[][]> => Promise.all(theirs.map(({ client }) => client.keys('*')));
      const hosts = theirs.map(({ url }) => new URL(url).host).join(',');
      const run = start(['pause', '--ttl', '60s', '--subject', 'holdfast:redlock'], {
        HOLDFAST_CHECKUP_URL: `redlock://:geheim@${hosts}`,
      });
      const onAll = expect.poll(async () => (await keys()).every(({ length }) => length > 0), {
        timeout: RUN_LIMIT_MS,
      });
      await onAll.toBe(true);
      run.process.kill('SIGINT');
      expect((await run.ended).code).toBe(130);
      expect(await keys()).toEqual([[], [], []]);
      await run.leavesNothing();
    } finally {
      for (const { stop } of theirs) await stop();
    }
  });

  async function startTheirRedis(
    password: string,
  ): Promise<{ url: string; client: RedisServer['client']; stop(): Promise<void> }> {
    const reaper = await Reaper.start();
    const redis = findRedisServer();
    if ('missing' in redis) throw new Error(redis.missing);
    const server = await RedisServer.start({ reaper, program: redis.file, name: 'theirs', folder: reaper.folder });
    await server.client.config('SET', 'requirepass', password);
    return {
      url: server.url,
      client: server.client,
      async stop() {
        server.stop();
        await reaper.close();
      },
    };
  }

  function filesIn(folder: string): string[] {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => path.join(file.parentPath, file.name));
  }
});

describe('a check-up that is ended from outside', { timeout: RUN_LIMIT_MS }, () => {
  const args = ['pause', '--subject', 'setnx', '--subject', 'setnx-watchdog', '--ttl', '60s'];

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('leaves nothing behind after %s', async (signal, exitCode) => {
    const run = start(findRedis() ? args : ['pause', '--subject', 'holdfast:sqlite', '--ttl', '60s']);
    await run.starts('processes/holder.mjs');
    run.process.kill(signal);
    expect((await run.ended).code).toBe(exitCode);
    await run.leavesNothing();
  });

  it('leaves nothing behind when a holder of it is stopped at that moment', async (context) => {
    needsRedis(context);
    const run = start(['pause', '--subject', 'setnx', '--ttl', '4s']);
    await run.starts('processes/holder.mjs');
    await untilStopped(run);
    run.process.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    await run.leavesNothing();
  });

  it('leaves nothing behind after kill -9, not even a stopped holder', async (context) => {
    needsRedis(context);
    const run = start(['pause', '--subject', 'setnx', '--ttl', '4s']);
    await untilStopped(run);
    run.process.kill('SIGKILL');
    await run.leavesNothing();
  });

  it('leaves nothing behind after kill -9 at any moment of its start', async (context) => {
    needsRedis(context);
    const killed = [0, 1, 2, 3, 4, 5].map(async (number) => {
      const run = start(['failover-sentinel', '--subject', 'setnx', '--subject', 'setnx-watchdog']);
      // Not to wait for something: the moments shall differ, and fall before, between and after the starts of servers.
      await new Promise((resolve) => setTimeout(resolve, 200 + number * 350));
      run.process.kill('SIGKILL');
      await run.leavesNothing();
    });
    await Promise.all(killed);
  });

  it('leaves nothing behind after kill -9 in the middle of a failover', async (context) => {
    needsRedis(context);
    const run = start(['failover-sentinel', '--subject', 'setnx']);
    await run.starts('[sentinel]');
    run.process.kill('SIGKILL');
    await run.leavesNothing();
  });

  function findRedis(): boolean {
    return 'file' in findRedisServer();
  }

  async function untilStopped(run: CheckupRun): Promise<void> {
    const isStopped = (line: string): boolean => {
      const [pid = ''] = line.split(' ');
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
      } catch {
        return false;
      }
    };
    await expect.poll(() => run.survivors().some(isStopped), { timeout: RUN_LIMIT_MS, interval: 20 }).toBe(true);
  }
});

describe('a check-up without any server', { timeout: RUN_LIMIT_MS }, () => {
  it('examines the embedded lock, says what the rest needs, and is a success', async () => {
    const run = start(['--ttl', '1s', '--claims', '--json', 'run.json'], {
      HOLDFAST_REDIS_SERVER: '/nowhere/redis-server',
      HOLDFAST_ETCD: '/nowhere/etcd',
      HOLDFAST_JAVA: '/nowhere/java',
      HOLDFAST_POSTGRES: '/nowhere/postgres',
      HOLDFAST_MARIADBD: '/nowhere/mariadbd',
    });
    const { code, stdout, stderr } = await run.ended;
    expect(code, stdout + stderr).toBe(0);
    await run.leavesNothing();
    const json = JSON.parse(readFileSync(path.join(run.folder, 'run.json'), 'utf8')) as Run;
    const ran = json.results.filter(({ verdict }) => verdict !== 'not-run');
    expect(verdicts(ran)).toEqual(['crash', 'pause', 'herd'].map((id) => `${id} holdfast:sqlite safe`));
    expect(resultOf(json, 'crash', 'setnx').reason).toContain('/nowhere/redis-server');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'failover with setnx, setnx-watchdog, holdfast:redis, holdfast:redis+wait;',
    );
    expect(stdout, 'what it states about itself, too').toMatch(
      /confirmed +tokens grow by: counter.* in crash, pause, herd\./,
    );
  });

  it('shows that a lock which everybody gets is unsafe', async () => {
    const run = start(['crash', '--subject', testSubject('always-grants'), '--rounds', '2', '--json', '-']);
    const { code, stdout, stderr } = await run.ended;
    expect(code, stderr).toBe(1);
    const result = resultOf(JSON.parse(stdout), 'crash', 'always-grants');
    expect(result).toMatchObject({ verdict: 'unsafe', expected: 'safe', rounds: { safe: 0, unsafe: 2, unknown: 0 } });
    expect(result.figures.overlapMs).toBeGreaterThan(0);
    await run.leavesNothing();
  });

  it('finds a release that does nothing, and shows what one that rejects says', async () => {
    const names = ['keeps-its-lock', 'rejects-release'];
    const run = start(['crash', ...names.flatMap((name) => ['--subject', testSubject(name)]), '--json', 'run.json']);
    const { code, stdout, stderr } = await run.ended;
    expect(code, stdout + stderr).toBe(1);
    await run.leavesNothing();
    const json = JSON.parse(readFileSync(path.join(run.folder, 'run.json'), 'utf8')) as Run;
    expect(verdicts(json.results)).toEqual(names.map((name) => `crash ${name} unsafe`));
    expect(resultOf(json, 'crash', 'keeps-its-lock').reason).toMatch(/^B waited for the lock, and did not get it/);
    const told = resultOf(json, 'crash', 'rejects-release').evidence.map(({ says }) => says);
    expect(told).toContain('its release failed: the order is not complete');
    expect(stdout).toContain('rejects-release: unsafe in 1 of 1.');
  });

  it('ends what a subject has started', async () => {
    const run = start(['pause', '--subject', testSubject('starts-a-process'), '--ttl', '400ms', '--json', '-']);
    await run.starts('sleep');
    await run.ended;
    await run.leavesNothing();
  });

  it.each([
    ['quits', /Holder A ended with exit code 3|process of holder A ended with exit code 3.*fatal: no quorum/],
    ['promises-belief', /believes\(\) must answer true or false at once; it gave a promise/],
    ['hangs', /acquire\(\) of the subject did not return within/],
  ])('contains a subject that breaks the contract: %s', async (name, reason) => {
    const run = start(['crash', '--subject', testSubject(name), '--ttl', '400ms', '--json', '-']);
    const { code, stdout, stderr } = await run.ended;
    expect(code, stderr).toBe(2);
    expect(resultOf(JSON.parse(stdout), 'crash', name)).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringMatching(reason),
    });
    await run.leavesNothing();
  });
});

describe('wrong usage', { timeout: RUN_LIMIT_MS }, () => {
  it.each([
    [
      ['--subject', testSubject('lacks-members')],
      /lacks name, a text of 1 to 40 printable characters; and open\(\{ url \}\), a function/,
    ],
    [['--subject', './not-there.mjs'], /There is no file .*not-there\.mjs/],
    [['sleep'], /There is no experiment "sleep". There are crash, pause, herd, herd-2-in-1/],
    [['--ttl', '3'], /--ttl must be a duration with its unit/],
    [['--ttl', '1ms'], /--ttl must be from 300ms to 10m/],
    [['--json', '/nowhere/run.json'], /--json \/nowhere\/run\.json/],
    [['--subject', 'setnx', '--url', 'etcd://localhost'], /setnx cannot use that --url/],
  ])('is said before anything is run: %j', async (args, message) => {
    const run = start(args);
    const { code, stdout, stderr } = await run.ended;
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toMatch(message);
    await run.leavesNothing();
  });
});
