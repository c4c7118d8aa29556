/**
 * The nodes of a Redis Cluster: three primaries that share the slots, and a replica of the first.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { until } from '../until.ts';
import { freePort } from './free-port.ts';
import { type RedisOptions, RedisServer } from './redis.ts';

const SLOTS = 16_384;
const PRIMARIES = 3;

/** After such a silence a node counts as failing; about this and 1.5 s more pass until the replica takes writes. */
const NODE_TIMEOUT_MS = 1_000;

/** What is started is put into `started` at once, so that the caller can end it whatever happens. */
export async function startNodes(
  options: Pick<RedisOptions, 'reaper' | 'program' | 'folder'>,
  started: RedisServer[],
): Promise<{ readonly primaries: readonly RedisServer[]; readonly replica: RedisServer }> {
  const nodes: { readonly server: RedisServer; readonly busPort: number }[] = [];
  for (const name of ['primary', 'primary-2', 'primary-3', 'replica']) {
    const busPort = await freePort();
    const settings = ['--cluster-enabled', 'yes', '--cluster-config-file', `${name}.nodes`];
    settings.push('--cluster-port', String(busPort), '--cluster-node-timeout', String(NODE_TIMEOUT_MS));
    const server = await RedisServer.start({ ...options, name, settings });
    started.push(server);
    nodes.push({ server, busPort });
  }
  for (const [index, { server }] of nodes.entries()) {
    await server.client.call('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
    for (const { server: other, busPort } of nodes.slice(0, index)) {
      await server.client.call('CLUSTER', 'MEET', '127.0.0.1', String(other.port), String(busPort));
    }
    if (index >= PRIMARIES) continue;
    const [from, to] = [index, index + 1].map((share) => Math.ceil((SLOTS * share) / PRIMARIES)) as [number, number];
    await server.client.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to - 1));
  }
  const servers = nodes.map(({ server }) => server);
  const isWhole = async (): Promise<boolean> => {
    const infos = await Promise.all(servers.map(({ client }) => client.call('CLUSTER', 'INFO')));
    return infos
      .map(String)
      .every((info) => info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`));
  };
  await until('The nodes of the cluster knowing each other', isWhole, { limitMs: 20_000, everyMs: 50 });
  const [primary, , , replica] = servers as [RedisServer, RedisServer, RedisServer, RedisServer];
  await replica.client.call('CLUSTER', 'REPLICATE', String(await primary.client.call('CLUSTER', 'MYID')));
  return { primaries: servers.slice(0, PRIMARIES), replica };
}

/** A lock name whose hash tag is in the slots of the first primary, whatever a subject puts before or after it. */
export async function nameInSlotsOf(primary: RedisServer): Promise<string> {
  for (;;) {
    const tag = `holdfast-checkup-${randomBytes(6).toString('hex')}`;
    if (Number(await primary.client.call('CLUSTER', 'KEYSLOT', tag)) < Math.ceil(SLOTS / PRIMARIES)) return `{${tag}}`;
  }
}
