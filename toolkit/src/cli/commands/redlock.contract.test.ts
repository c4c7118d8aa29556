import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Outcome, SLOW, Stage } from '../test-support/program.ts';
import { missingRedis, TestRedis } from '../test-support/redis-server.ts';

let stage: Stage;
let servers: TestRedis[] = [];

beforeEach(async ({ skip }) => {
  skip(missingRedis !== undefined, missingRedis);
  stage = new Stage();
  servers = await Promise.all([TestRedis.start(), TestRedis.start(), TestRedis.start()]);
});

afterEach(async () => {
  await stage?.strike();
  await Promise.all(servers.map((server) => server.stop()));
});

const env = (): { HOLDFAST_URL: string } => ({
  HOLDFAST_URL: `redlock://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
});
const run = (...args: string[]): Promise<Outcome> => stage.start(args, { env: env() }).outcome;

it('a command runs on a majority of three servers, can be seen and broken, and has no token', SLOW, async () => {
  await (servers[2] as TestRedis).stop();
  const holder = stage.start(['run', 'x', '--ttl', '3s', '--', 'sh', '-c', 'echo "[$HOLDFAST_TOKEN]"; sleep 300'], {
    env: env(),
  });
  await holder.family();
  expect((await run('run', 'x', '--wait', '0', '--', 'true')).code).toBe(75);
  const report = JSON.parse((await run('who', 'x', '--json')).stdout);
  expect(report).toMatchObject({ lock: 'x', holder: { purpose: 'sh', fencingToken: null }, waiters: [] });
  expect(JSON.parse((await run('ls', '--json')).stdout).locks).toMatchObject([{ lock: 'x' }]);
  const { code, stdout } = await run('break', 'x', '--yes');
  expect(code).toBe(0);
  expect(stdout).toMatch(/There are no fencing tokens here/);
  // It learns it at its next renewal, and ends its command then.
  expect(await holder.outcome).toMatchObject({ code: 79, stdout: '[]\n' });
});

it('with a majority of the servers away it is unavailable, and says which', SLOW, async () => {
  await Promise.all(servers.slice(1).map((server) => server.stop()));
  const { code, stderr } = await run('who', 'x');
  expect(code).toBe(69);
  expect(stderr).toMatch(/redis:\/\/127\.0\.0\.1:\d+\/0 cannot be reached/);
});
