import { zookeeperBackend } from 'holdfast/zookeeper';
import { makeDirectory, nodeOf, openZooKeeperCalls, type ZooKeeperCalls } from '../consensus/own-clients.ts';
import { ofBackend } from './ours.ts';
import type { SubjectKind } from './subject.ts';

/** Whose names are asked for: as many as the pairs and the held locks have. */
const ROOT = '/bench';

/** As a contender of ours writes it. */
const DATA = Buffer.from(JSON.stringify({ owner: 'a-host:1234:0123456789:12', host: 'a-host', pid: 1234 }));

/**
 * An ephemeral sequential node that is made and deleted; who waits watches the one before. It looks at nobody else's
 * node where nobody waits, and its session keeps all of them.
 */
export const zookeeper: SubjectKind = {
  ours: async ({ url, ttlMs }) => ofBackend(zookeeperBackend(serversOf(url)), ttlMs),
  async raw({ url }) {
    const client = await openZooKeeperCalls(serversOf(url));
    const node = await nodeOf(DATA);
    await makeDirectory(client, ROOT);
    const made = new Map<string, Promise<void>>();
    const make = async (name: string): Promise<string> => {
      const directory = `${ROOT}/${name}`;
      const there = made.get(name) ?? makeDirectory(client, directory);
      made.set(name, there);
      await there;
      return (await client.create(`${directory}/lock-`, node)).path;
    };
    return {
      pair: async (index) => client.delete(await make(`pair-${index}`)),
      async line(name, waiters) {
        return Array.from({ length: waiters }, () => async () => {
          const path = await make(name);
          await untilFirst(client, `${ROOT}/${name}`, path);
          return () => client.delete(path);
        });
      },
      inLine: async (name) => (await client.getChildren(`${ROOT}/${name}`)).children.length - 1,
      async hold(index) {
        const path = await make(`held-${index}`);
        return { check: () => undefined, release: async () => void (await client.delete(path)) };
      },
    };
  },
};

async function untilFirst(client: ZooKeeperCalls, directory: string, path: string): Promise<void> {
  const own = path.slice(directory.length + 1);
  for (;;) {
    const { children } = await client.getChildren(directory);
    const before = children
      .filter((child) => child < own)
      .sort()
      .at(-1);
    if (before === undefined) return;
    await new Promise<void>((resolve, reject) => {
      const found = client.exists(`${directory}/${before}`, { watch: resolve });
      found.then((stat) => (stat === null ? resolve() : undefined), reject);
    });
  }
}

function serversOf(url: string): string {
  return url.replace('zookeeper://', '');
}
