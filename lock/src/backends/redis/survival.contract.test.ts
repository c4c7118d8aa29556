import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Relay } from '../../contract/relay.ts';
import { RedisServer } from './test-support/redis-server.ts';
import { until } from './test-support/requests.ts';

const PROGRAM = fileURLToPath(new URL('./test-support/survivor.mjs', import.meta.url));

let server: RedisServer;
let relay: Relay;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.admin.flushall();
  relay = await Relay.start(server.port);
});
afterEach(() => relay.close());

const faults: readonly (readonly [string, () => Promise<void> | void])[] = [
  ['packets vanish', () => relay.blackHole()],
  ['connections are reset, and new ones refused,', () => relay.cut()],
  [
    'server is killed',
    async () => {
      await server.kill();
      setTimeout(() => void server.startAgain(), 2_000);
    },
  ],
];
const clients = { 'ioredis as it is': {}, 'one that fails at once': { maxRetriesPerRequest: 0 } };
const cases = faults.flatMap(([what, fault]) =>
  Object.entries(clients).map(([client, options]) => [what, client, fault, options] as const),
);

it.each(cases)(
  'a program whose %s lives on, with %s, and is told once that its lease is lost',
  { timeout: 60_000 },
  async (...args) => {
    const [, , fault, options] = args;
    await server.admin.set('holdfast:busy', 'somebody', 'PX', 60_000);
    const child = spawn(
      process.execPath,
      ['--unhandled-rejections=strict', PROGRAM, String(relay.port), JSON.stringify(options)],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    let complaints = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      complaints += chunk;
    });
    const exited = once(child, 'exit');
    try {
      await until('a program that holds its lock', () => output.includes('ready') || complaints !== '', 25_000);
      await fault();
      const [status] = await exited;
      expect(complaints).toBe('');
      // A server that comes back empty may give it the other lock at the last moment.
      expect(output).toMatch(/end lost 1 (UNAVAILABLE|BUSY|got it)/);
      expect(status).toBe(0);
    } finally {
      child.kill('SIGKILL');
      await until(
        'a server',
        () =>
          server.admin.ping().then(
            () => true,
            () => false,
          ),
        10_000,
      );
    }
  },
);
