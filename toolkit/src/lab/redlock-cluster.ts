/**
 * Five Redis servers that know nothing of each other, and the URL that names them all.
 *
 * @module
 */
import type { Cluster, ClusterOptions } from './cluster.ts';
import { BlackHole } from './servers/black-hole.ts';
import { RedisServer } from './servers/redis.ts';
import { RedisRequests } from './servers/redis-requests.ts';
import { watchKeys } from './servers/redis-watch.ts';

const SERVERS = 5;

/** How many of them a holder can do without. */
const MINORITY = 2;

/** With `minorityApart` the first holder's ways to two of them can be cut. */
export async function redlockServers(options: ClusterOptions & { readonly minorityApart: boolean }): Promise<Cluster> {
  const closers: (() => void)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closers) each();
  };
  try {
    const servers: RedisServer[] = [];
    for (let number = 1; number <= SERVERS; number++) {
      const server = await RedisServer.start({ ...options, name: `redis-${number}` });
      servers.push(server);
      closers.push(() => server.stop());
    }
    // What happens to a key happens on all of them; one stands for all.
    closers.unshift(await watchKeys(servers[0] as RedisServer, options.history));
    const ways = options.minorityApart ? await Promise.all(servers.slice(-MINORITY).map(wayTo)) : [];
    closers.push(...ways.map((way) => () => way.close()));
    const counter = new RedisRequests(servers);
    closers.unshift(() => counter.close());
    const ports = servers.map(({ port }) => port);
    return {
      url: urlOf(ports),
      servers: [`redis ${await (servers[0] as RedisServer).info('server', 'redis_version')}`],
      independent: {
        servers,
        async startAgain(ended) {
          const { name, port } = ended;
          const fresh = await RedisServer.start({ ...options, name, port });
          closers.push(() => fresh.stop());
          servers[servers.indexOf(ended)] = fresh;
          return fresh;
        },
      },
      ...(ways.length > 0 ? { urlOfA: urlOf([...ports.slice(0, -MINORITY), ...ways.map(({ port }) => port)]) } : {}),
      waysOfA: ways,
      counts: () => counter.counts(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function wayTo({ port }: RedisServer): Promise<BlackHole> {
  return BlackHole.start(port, () => {});
}

function urlOf(ports: readonly number[]): string {
  return `redlock://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
}
