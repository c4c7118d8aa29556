/**
 * A Redis server for a test: on a free loopback port, without persistence, stopped by its pid.
 *
 * @module
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { until } from './program.ts';

/** Why there is no server here; undefined if there is one. */
export const missingRedis: string | undefined =
  spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'redis-server is not installed';

export class TestRedis {
  readonly port: number;
  readonly client: Redis;
  readonly #process: ChildProcess;

  private constructor(port: number, process: ChildProcess, password: string | undefined) {
    this.port = port;
    this.#process = process;
    this.client = new Redis({ host: '127.0.0.1', port, ...(password === undefined ? {} : { password }) });
    this.client.on('error', () => undefined); // it starts, or is stopped
  }

  get pid(): number {
    return this.#process.pid ?? Number.NaN;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Resolves when the server answers. Takes another port if somebody was quicker with the first. */
  static async start({ password }: { password?: string } = {}): Promise<TestRedis> {
    for (;;) {
      const port = await freePort();
      const secret = password === undefined ? [] : ['--requirepass', password];
      const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...secret];
      const server = new TestRedis(port, spawn('redis-server', args, { stdio: 'ignore', cwd: '/' }), password);
      await Promise.race([server.client.ping(), new Promise((resolve) => server.#process.once('exit', resolve))]);
      if (server.#process.exitCode === null) {
        const info = await server.client.info('server');
        if (info.includes(`process_id:${server.pid}\r`)) return server;
      }
      await server.stop();
    }
  }

  async stop(): Promise<void> {
    this.client.disconnect();
    this.#process.kill('SIGKILL');
    await until(
      () => this.#process.exitCode !== null || this.#process.signalCode !== null,
      () => 'redis-server did not end',
    );
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
