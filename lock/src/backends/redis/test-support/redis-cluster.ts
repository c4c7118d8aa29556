import { freePort, RedisServer } from './redis-server.ts';
import { until } from './requests.ts';

const NODES = 3;
const SLOTS = 16_384;

/** Three primaries that share the slots. */
export class RedisCluster {
  readonly nodes: readonly RedisServer[];

  private constructor(nodes: readonly RedisServer[]) {
    this.nodes = nodes;
  }

  static async start(): Promise<RedisCluster> {
    const nodes: RedisServer[] = [];
    const busPorts: number[] = [];
    for (let index = 0; index < NODES; index++) {
      const busPort = await freePort();
      busPorts.push(busPort);
      const config = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', '--cluster-port', String(busPort)];
      nodes.push(await RedisServer.start(config));
    }
    for (const [index, { admin }] of nodes.entries()) {
      const [from, to] = [(SLOTS * index) / NODES, (SLOTS * (index + 1)) / NODES].map(Math.ceil) as [number, number];
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to - 1));
      await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
      for (const [other, { port }] of nodes.entries()) {
        if (other < index) await admin.call('CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPorts[other]));
      }
    }
    for (const { admin } of nodes) {
      await until(
        'a cluster that is whole',
        async () => {
          const info = (await admin.call('CLUSTER', 'INFO')) as string;
          return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${NODES}`);
        },
        20_000,
      );
    }
    return new RedisCluster(nodes);
  }

  get addresses(): { host: string; port: number }[] {
    return this.nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) await node.stop();
  }
}
