import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advise } from '../../advise/advice.ts';
import type { Told } from '../../advise/situation.ts';
import { Stage } from '../test-support/program.ts';
import { missingRedis, TestRedis } from '../test-support/redis-server.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

describe('holdfast advise', () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });
  afterEach(() => stage.strike());

  it('advises by options, by a file and in JSON, and says 64 to what is wrong, without a terminal', async () => {
    const file = stage.file('situation.json');
    writeFileSync(
      file,
      JSON.stringify({ protects: 'data', peakPerSecond: 5_000, usualPerSecond: 500, skills: ['etcd'] }),
    );
    const [byOptions, byFile, contradiction, misspelt, nothing, noBench, chinese, contradictionInChinese] =
      await Promise.all(
        [
          ['--protects', 'work', '--servers', 'redis', '--peak', '5k'],
          ['--input', file, '--servers', 'etcd,redis', '--json'],
          ['--usual', '500', '--peak', '100', '--json'],
          ['--protects', 'money'],
          [],
          ['--protects', 'work', '--bench', file],
          ['--protects', 'work', '--servers', 'redis', '--lang', 'zh'],
          ['--usual', '500', '--peak', '100', '--lang', 'zh'],
        ].map((args) => stage.start(['advise', ...args]).outcome),
      );
    expect(byOptions).toMatchObject({ code: 0, stderr: '' });
    expect(byOptions?.stdout).toMatch(/^Redis: one server, or a primary with replicas\n─+\n/);
    expect(JSON.parse(byFile?.stdout ?? '')).toMatchObject({
      answer: 'etcd',
      lock: true,
      assumed: expect.not.arrayContaining(['servers']),
    });

    expect(contradiction).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('The peak is below the usual rate.'),
    });
    expect(JSON.parse(contradiction?.stdout ?? '')).toMatchObject({ error: { exit: 'usage', exitCode: 64 } });
    expect(misspelt).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining('--protects is one of data, work'),
    });
    expect(nothing).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining('There is no terminal to ask on.'),
    });
    expect(noBench).toMatchObject({ code: 64, stderr: expect.stringContaining('is not a result of `holdfast bench') });
    expect(chinese).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Redis：单台服务器，或一主多副本\n─+\n/) });
    expect(contradictionInChinese).toMatchObject({ code: 64, stderr: expect.stringContaining('高峰低于平时的速率。') });
  });

  it('shows code that runs as it is: on the embedded file', async () => {
    expect(await runUntil(codeOf({ runsOn: 'one-machine' }), { XDG_STATE_HOME: stage.stateFolder })).toBe('alone\n');
  });

  it('shows code that runs as it is: on Redis, with the data behind its guard', async ({ skip }) => {
    skip(missingRedis !== undefined, missingRedis);
    const redis = await TestRedis.start();
    try {
      const code = codeOf({ resource: 'compare-token', writesTo: 'redis', peakPerSecond: 10_000 });
      const env = { REDIS_URL: redis.url };
      await runUntil(`${code}\nconsole.log(await redis.get('pieces:1001'));`, env, '-1\n');
      expect(await runUntil(`${code}\nconsole.log(await redis.get('pieces:1001'));`, env, '-2\n')).toBe('-2\n');
    } finally {
      await redis.stop();
    }
  });
});

function codeOf(told: Told): string {
  return advise(told).code[0]?.text ?? '';
}

/** What the program prints until it ends, or until it has printed that: a client that is left open keeps it going. */
async function runUntil(code: string, env: NodeJS.ProcessEnv, last?: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
    if (printed === last) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return printed;
}
