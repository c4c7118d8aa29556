/**
 * The clients that the lock speaks to etcd and ZooKeeper with, for the bare calls that it is held against. They are not
 * published: they are found beside the published entries, and what is used of them is written down here.
 *
 * @module
 */
import { Instant, systemClock } from 'holdfast';

export interface EtcdCalls {
  grant(ttlS: number, deadline: Instant): Promise<{ readonly id: bigint }>;
  keepAlive(id: bigint, deadline: Instant): Promise<unknown>;
  transaction(
    what: string,
    transaction: { compare: readonly Compare[]; success: readonly Operation[]; failure: readonly Operation[] },
    deadline: Instant,
  ): Promise<{ readonly succeeded: boolean; readonly revision: bigint }>;
  close(): void;
}
interface Compare {
  readonly key: string;
  readonly createRevision: bigint;
}
type Operation =
  | { readonly put: { readonly key: string; readonly value: string; readonly lease: bigint } }
  | { readonly delete: { readonly key: string } };

/** The service that etcd itself offers: whoever calls has the lock by its lease. */
export interface LockService {
  lock(name: string, lease: bigint): Promise<Buffer>;
  unlock(key: Buffer): Promise<void>;
  close(): void;
}

export interface ZooKeeperCalls {
  readonly session: { connected(deadline: Instant): Promise<void>; close(deadline: Instant): Promise<void> };
  create(path: string, node: { mode: number; data: Buffer; acl: unknown }): Promise<{ readonly path: string }>;
  delete(path: string): Promise<unknown>;
  getChildren(path: string): Promise<{ readonly children: readonly string[] }>;
  /** Null if it is not there; the watch is called once, when that changes. */
  exists(path: string, options: { watch: () => void }): Promise<object | null>;
}

export const soon = (): Instant => Instant.plus(systemClock.now(), 60_000);

export async function openEtcdCalls(addresses: readonly string[]): Promise<EtcdCalls> {
  const [{ EtcdClient }, { parseEndpoints }] = await Promise.all([besideEtcd('client'), besideEtcd('endpoints')]);
  const { endpoints } = parseEndpoints(addresses);
  return new EtcdClient({ endpoints, tls: undefined, credentials: undefined, clock: systemClock });
}

/** Through the first of these members. */
export async function openLockService(addresses: readonly string[]): Promise<LockService> {
  const [{ Connection }, { parseEndpoints }, { Writer, fieldsOf }] = await Promise.all([
    besideEtcd('connection'),
    besideEtcd('endpoints'),
    besideEtcd('wire'),
  ]);
  const { endpoints } = parseEndpoints(addresses);
  const connection = await Connection.open(endpoints[0], undefined, new AbortController().signal);
  return {
    async lock(name, lease) {
      const asks = new Writer().bytes(1, name).int64(2, lease).finish();
      const answer = await connection.call('/v3lockpb.Lock/Lock', asks, {}, 120_000);
      for (const { number, bytes } of fieldsOf(answer)) if (number === 2) return bytes;
      throw new Error('The lock service gave no key.');
    },
    async unlock(key) {
      await connection.call('/v3lockpb.Lock/Unlock', new Writer().bytes(1, key).finish(), {}, 60_000);
    },
    close: () => connection.destroy(),
  };
}

export async function openZooKeeperCalls(servers: string): Promise<ZooKeeperCalls> {
  const [{ ZooKeeperClient }, { parseConnectString }] = await Promise.all([
    besideZooKeeper('client/client'),
    besideZooKeeper('client/hosts'),
  ]);
  const client: ZooKeeperCalls = new ZooKeeperClient({
    ...parseConnectString(servers),
    timeoutMs: 30_000,
    tls: undefined,
    digest: undefined,
    clock: systemClock,
    random: Math.random,
    connection: () => undefined,
    over: () => undefined,
  });
  await client.session.connected(soon());
  return client;
}

/** An ephemeral sequential node that is open to everybody, as a contender makes it. */
export async function nodeOf(data: Buffer): Promise<{ mode: number; data: Buffer; acl: unknown }> {
  const { CreateMode, OPEN_ACL } = await besideZooKeeper('client/protocol');
  return { mode: CreateMode.ephemeralSequential, data, acl: OPEN_ACL };
}

/** Makes a node that stays, open to everybody, unless it is there. */
export async function makeDirectory(client: ZooKeeperCalls, path: string): Promise<void> {
  const { CreateMode, OPEN_ACL } = await besideZooKeeper('client/protocol');
  const node = { mode: CreateMode.persistent, data: Buffer.alloc(0), acl: OPEN_ACL };
  await client.create(path, node).catch((error: { code?: unknown }) => {
    if (error.code !== 'NODE_EXISTS') throw error;
  });
}

const besideEtcd = (module: string) => beside('holdfast/etcd', module);
const besideZooKeeper = (module: string) => beside('holdfast/zookeeper', module);

// biome-ignore lint/suspicious/noExplicitAny: what is used of it is declared above
function beside(entry: string, module: string): Promise<any> {
  return import(new URL(`./${module}.mjs`, import.meta.resolve(entry)).href);
}
