import { freePort, RedisServer } from './redis-server.ts';
import { until } from './requests.ts';

const NODES = 3;
const SLOTS = 16_384;

export interface ClusterOptions {
  /** How many replicas the first of the three primaries has. Default none. */
  readonly replicas?: number;
  /** After such a silence a node counts as failing. */
  readonly nodeTimeoutMs?: number;
}

/** Three primaries that share the slots, and replicas of the first. */
export class RedisCluster {
  readonly nodes: readonly RedisServer[];
  readonly replicas: readonly RedisServer[];

  private constructor(nodes: readonly RedisServer[], replicas: readonly RedisServer[]) {
    this.nodes = nodes;
    this.replicas = replicas;
  }

  static async start({ replicas = 0, nodeTimeoutMs = 2_000 }: ClusterOptions = {}): Promise<RedisCluster> {
    const all: RedisServer[] = [];
    const busPorts: number[] = [];
    for (let index = 0; index < NODES + replicas; index++) {
      const busPort = await freePort();
      busPorts.push(busPort);
      const config = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeoutMs)];
      all.push(
        await RedisServer.start([...config, '--cluster-port', String(busPort), '--repl-diskless-sync-delay', '0']),
      );
    }
    const cluster = new RedisCluster(all.slice(0, NODES), all.slice(NODES));
    for (const [index, { admin }] of all.entries()) {
      await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
      for (const [other, { port }] of all.entries()) {
        if (other < index) await admin.call('CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPorts[other]));
      }
      if (index >= NODES) continue;
      const [from, to] = [(SLOTS * index) / NODES, (SLOTS * (index + 1)) / NODES].map(Math.ceil) as [number, number];
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to - 1));
    }
    await cluster.whole();
    const first = await cluster.idOf(0);
    for (const { admin } of cluster.replicas) {
      await admin.call('CLUSTER', 'REPLICATE', first);
      const inStep = async (): Promise<boolean> => (await admin.info('replication')).includes('link_status:up');
      await until('a replica in step', inStep, 20_000);
    }
    return cluster;
  }

  /** Resolves when every node knows all the others, and that every slot has a node. */
  async whole(): Promise<void> {
    const all = [...this.nodes, ...this.replicas];
    for (const { admin } of all) {
      await until(
        'a cluster that is whole',
        async () => {
          const info = (await admin.call('CLUSTER', 'INFO')) as string;
          return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${all.length}`);
        },
        20_000,
      );
    }
  }

  get addresses(): { host: string; port: number }[] {
    return this.nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
  }

  async idOf(node: number): Promise<string> {
    return (await this.nodes[node]?.admin.call('CLUSTER', 'MYID')) as string;
  }

  /** A name whose key is in a slot of this primary. */
  async nameOn(node: number, prefix: string): Promise<string> {
    const { admin } = this.nodes[node] as RedisServer;
    for (let index = 0; ; index++) {
      const name = `${prefix}${index}`;
      const slot = Number(await admin.call('CLUSTER', 'KEYSLOT', `holdfast:${name}`));
      if (Math.floor((slot * NODES) / SLOTS) === node) return name;
    }
  }

  async stop(): Promise<void> {
    for (const node of [...this.replicas, ...this.nodes]) await node.stop();
  }
}
