import { RedisServer } from './redis-server.ts';
import { until } from './requests.ts';

/** A primary and its replicas, in step. */
export class Replication {
  readonly primary: RedisServer;
  readonly replicas: readonly RedisServer[];

  private constructor(primary: RedisServer, replicas: readonly RedisServer[]) {
    this.primary = primary;
    this.replicas = replicas;
  }

  static async start(howMany: number, args: readonly string[] = []): Promise<Replication> {
    const primary = await RedisServer.start(['--repl-diskless-sync-delay', '0', ...args]);
    const replicas: RedisServer[] = [];
    for (let index = 0; index < howMany; index++) {
      const following = ['--replicaof', '127.0.0.1', String(primary.port), '--repl-diskless-sync-delay', '0'];
      replicas.push(await RedisServer.start([...following, ...args]));
    }
    const replication = new Replication(primary, replicas);
    await replication.inStep();
    return replication;
  }

  /** Resolves when every replica follows. */
  async inStep(): Promise<void> {
    await until(
      'replicas in step',
      async () => {
        const infos = await Promise.all(this.replicas.map(({ admin }) => admin.info('replication')));
        return infos.every((info) => info.includes('link_status:up'));
      },
      20_000,
    );
    const acknowledged = await this.primary.admin.call('WAIT', String(this.replicas.length), '10000');
    if (acknowledged !== this.replicas.length) throw new Error(`Only ${acknowledged} replicas follow.`);
  }

  async stop(): Promise<void> {
    for (const server of [...this.replicas, this.primary]) await server.stop();
  }
}
