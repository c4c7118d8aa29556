import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CheckupRun, RUN_LIMIT_MS, repository } from './checkup.testing.ts';
import type { Run } from './result.ts';
import { findRedisServer } from './servers/find-server.ts';
import { verdicts } from './whole-checkup.testing.ts';

const REDIS_PY = '/usr/lib/python3/dist-packages/redis/client.py';

let run: CheckupRun | undefined;
beforeEach((context) => {
  if (process.platform !== 'linux')
    context.skip('What a run leaves behind is looked up in /proc, which only Linux has.');
});
afterEach(() => run?.dispose());

describe('a lock in another language', { timeout: RUN_LIMIT_MS }, () => {
  it('is killed and stopped with its process, and found unsafe where it has no token', async (context) => {
    const redis = findRedisServer();
    if ('missing' in redis) context.skip(redis.missing);
    if (!existsSync(REDIS_PY)) context.skip(`There is no ${REDIS_PY}; npm run setup installs it.`);
    const command = `/usr/bin/python3 '${path.join(repository, 'examples/my_lock.py')}'`;
    run = new CheckupRun(['crash', 'pause', '--ttl', '1s', '--subject-command', command, '--json', '-']);
    const { code, stdout, stderr } = await run.ended;
    const { results, subjects } = JSON.parse(stdout) as Run;
    expect(verdicts(results), stderr).toEqual(['crash redis-py safe', 'pause redis-py unsafe']);
    expect(code).toBe(1);
    expect(subjects).toEqual([{ name: 'redis-py', server: 'redis', origin: 'yours' }]);
    // It was stopped with its holder: at its first look after that it knows that its time is over.
    expect(results[1]?.figures).toMatchObject({ overlapMs: 0 });
    expect(results[1]?.figures.staleWritesAccepted).toBeGreaterThan(0);
    await run.leavesNothing();
  });

  it('may print what it likes, and is void where it does not answer', async () => {
    const command = `'${process.execPath}' '${path.join(repository, 'toolkit/src/lab/test-subjects/keeps-silent.mjs')}'`;
    run = new CheckupRun(['crash', '--ttl', '400ms', '--subject-command', command, '--json', '-']);
    const { code, stdout, stderr } = await run.ended;
    expect(code, stderr).toBe(2);
    expect((JSON.parse(stdout) as Run).results[0]).toMatchObject({
      subject: 'keeps-silent',
      verdict: 'unknown',
      reason: expect.stringContaining('"believes" was not answered within 2000 ms.'),
    });
    await run.leavesNothing();
  });

  it('that is none is wrong usage', async () => {
    run = new CheckupRun(['--subject-command', 'no-such-program-here']);
    const { code, stdout, stderr } = await run.ended;
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toMatch(/--subject-command 'no-such-program-here': The command ended with exit code 127/);
    await run.leavesNothing();
  });
});
