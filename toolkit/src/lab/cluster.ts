/**
 * The servers of one run, and the URL under which the subject reaches them.
 *
 * @module
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HistoryWriter } from './history.ts';
import type { Reaper } from './reaper.ts';
import type { BlackHole } from './servers/black-hole.ts';
import type { Dated } from './servers/dated.ts';
import type { Line } from './servers/line.ts';
import type { Counts, Ensemble, Member } from './servers/member.ts';
import { type Persistence, persistenceSettings } from './servers/persistence.ts';
import { RedisServer } from './servers/redis.ts';
import { RedisRequests } from './servers/redis-requests.ts';
import { watchKeys } from './servers/redis-watch.ts';
import type { SteadyAddress } from './servers/steady-address.ts';
import { leadsToRedis, removeKeys } from './servers/their-redis.ts';

export interface Cluster {
  readonly url: string;
  /** Name and version of what the lab started. */
  readonly servers: readonly string[];
  /** Where only some names would do: in a cluster those whose server can fail over. */
  readonly lockName?: string;
  /** Where the first holder has an address of its own. */
  readonly urlOfA?: string;
  /** The first holder's way to the server, where it can be cut. */
  readonly wayOfA?: BlackHole;
  /** The same where it is no relay, but a line of the network. */
  readonly lineOfA?: Line;
  /** His ways to the servers, or to a minority of independent ones. */
  readonly waysOfA?: readonly BlackHole[];
  /** The one server, where its date can be moved. */
  readonly dated?: Dated;
  /** Redis servers that know nothing of each other: one, or the five of a quorum. */
  readonly independent?: Independent;
  /** Where there is a failover to be had. */
  readonly replication?: Replication;
  /** The one Redis server, which can be started again with what it has on disk. */
  readonly restartable?: Restartable;
  /** The servers of an etcd or a ZooKeeper, and the one that the first holder talks to, if that was chosen. */
  readonly ensemble?: Ensemble;
  readonly memberOfA?: Member;
  /** How long a message and its answer take now, where the servers are at a distance. */
  readonly roundTripMs?: () => Promise<number>;
  /** What the servers have done so far. Left out where nobody counts: a user's server, or none. */
  readonly counts?: () => Promise<Counts>;
  /** Ends what lies between clients and servers. */
  readonly closeWays?: () => void | Promise<void>;
  /** Ends and removes what belongs to the lab. */
  close(): Promise<void>;
}

export interface Independent {
  readonly servers: readonly RedisServer[];
  /** Starts one again that has ended, empty, where it was. */
  startAgain(ended: RedisServer): Promise<RedisServer>;
}

export interface Restartable {
  readonly redis: RedisServer;
  /** Where its files are. */
  readonly folder: string;
  /** After it has ended. */
  startAgain(): Promise<RedisServer>;
}

export interface Replication {
  readonly primary: RedisServer;
  /** The one that will be promoted. */
  readonly replica: RedisServer;
  /** One more, which follows all the time, and which Sentinels like less. */
  readonly second: RedisServer | undefined;
  readonly sentinels: readonly RedisServer[];
  /** The address that the lab keeps pointed at the primary, unless the subject asks the servers itself. */
  readonly address: SteadyAddress | undefined;
  /** The replica's way to its primary, where it can be cut without the primary's noticing. */
  readonly way: BlackHole | undefined;
}

export interface ClusterOptions {
  readonly reaper: Reaper;
  /** The redis-server program. */
  readonly program: string;
  readonly folder: string;
  readonly history: HistoryWriter;
}

/** No server: a folder for a lock that lives in files. */
export function folderOnly(folder: string): Cluster {
  const files = path.join(folder, 'locks');
  // A lock file that others could write to would be refused.
  mkdirSync(files, { recursive: true, mode: 0o700 });
  return { url: pathToFileURL(files).href.replace(/^file:/, 'sqlite:'), servers: [], close: async () => {} };
}

/** One Redis server. */
export async function singleRedis(options: ClusterOptions & { readonly persistence?: Persistence }): Promise<Cluster> {
  const settings = persistenceSettings[options.persistence ?? 'none'];
  const redis = await RedisServer.start({ ...options, name: 'redis', settings });
  const servers = [redis];
  const counter = new RedisRequests(servers);
  const [unwatch, version] = await Promise.all([watchKeys(redis, options.history), versionOf(redis)]).catch((error) => {
    redis.stop();
    throw error;
  });
  return {
    url: redis.url,
    servers: [version],
    counts: () => counter.counts(),
    dated: redis.dated,
    restartable: {
      redis,
      folder: options.folder,
      async startAgain() {
        const again = await RedisServer.start({ ...options, name: 'redis', settings, port: redis.port });
        servers.push(again);
        return again;
      },
    },
    async close() {
      counter.close();
      unwatch();
      for (const server of servers) server.stop();
    },
  };
}

/** A server of the user's, which the lab only connects to; at the end it removes the keys of this one lock name. */
export function theirServer(url: string, lockName: string): Cluster {
  return { url, servers: [], close: async () => (leadsToRedis(url) ? removeKeys(url, lockName) : undefined) };
}

export async function versionOf(redis: RedisServer): Promise<string> {
  return `redis ${await redis.info('server', 'redis_version')}`;
}
