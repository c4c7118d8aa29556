/**
 * A PostgreSQL or a MariaDB for one run, and what stands between it and the holders.
 *
 * @module
 */
import type { Cluster } from './cluster.ts';
import type { HistoryWriter } from './history.ts';
import type { Reaper } from './reaper.ts';
import { BlackHole } from './servers/black-hole.ts';
import type { ServerProgram } from './servers/find-server.ts';
import { Network } from './servers/line.ts';
import { MariadbServer, urlOf as mysqlUrl } from './servers/mariadb.ts';
import { PgBouncer } from './servers/pgbouncer.ts';
import { PostgresServer, urlOf as postgresUrl } from './servers/postgres.ts';

/**
 * `black-hole`: the first holder has a way of its own, which can be cut. `line`: the same in the network itself. `pooler`:
 * all go through a PgBouncer.
 */
export type SqlWay = 'direct' | 'black-hole' | 'line' | 'pooler';

export interface SqlClusterOptions {
  readonly reaper: Reaper;
  readonly kind: 'postgres' | 'mysql';
  /** The program of the server. */
  readonly program: string;
  readonly folder: string;
  readonly history: HistoryWriter;
  readonly way: SqlWay;
  readonly pgbouncer: ServerProgram;
  /** After such a silence the server ends a session. */
  readonly idleLimitMs: number | undefined;
}

export async function sqlCluster(options: SqlClusterOptions): Promise<Cluster> {
  if (options.way === 'line') return await overLine(options);
  const server = await start(options);
  const version = `${server.name} ${server.version}`;
  try {
    switch (options.way) {
      case 'direct':
        return {
          url: server.url,
          servers: [version],
          dated: server.dated,
          counts: async () => ({ requests: await server.requests() }),
          close: () => server.stop(),
        };
      case 'black-hole':
        return await withBlackHole(server, version, options);
      case 'pooler':
        return await withPooler(server, version, options);
    }
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function start(
  { reaper, kind, program, folder, idleLimitMs }: SqlClusterOptions,
  network?: Network,
): Promise<PostgresServer | MariadbServer> {
  const use = { reaper, program, folder, ...(network ? { network } : {}) };
  if (kind === 'postgres') {
    const settings = idleLimitMs === undefined ? {} : { idle_session_timeout: `${idleLimitMs}ms` };
    return PostgresServer.start({ ...use, settings });
  }
  // It knows whole seconds.
  const args = idleLimitMs === undefined ? [] : [`--wait-timeout=${Math.max(1, Math.round(idleLimitMs / 1_000))}`];
  return MariadbServer.start({ ...use, args });
}

async function withBlackHole(
  server: PostgresServer | MariadbServer,
  version: string,
  { kind, history }: SqlClusterOptions,
): Promise<Cluster> {
  const way = await BlackHole.start(server.port, () => {
    const says = 'ends a session of A, which has been silent for too long';
    history.write({ f: 'server', type: 'event', event: 'session-end', says }, server.name);
  });
  return {
    url: server.url,
    urlOfA: kind === 'postgres' ? postgresUrl(way.port) : mysqlUrl(way.port),
    wayOfA: way,
    servers: [version],
    async close() {
      way.close();
      await server.stop();
    },
  };
}

async function overLine(options: SqlClusterOptions): Promise<Cluster> {
  const network = await Network.start(options.reaper, options.folder);
  try {
    const server = await start(options, network);
    const urlOf = options.kind === 'postgres' ? postgresUrl : mysqlUrl;
    return {
      url: server.url,
      urlOfA: urlOf(server.port, network.lineOfA.address),
      lineOfA: network.lineOfA,
      servers: [`${server.name} ${server.version}`],
      async close() {
        await server.stop();
        await network.stop();
      },
    };
  } catch (error) {
    await network.stop();
    throw error;
  }
}

async function withPooler(
  server: PostgresServer | MariadbServer,
  version: string,
  { reaper, folder, pgbouncer }: SqlClusterOptions,
): Promise<Cluster> {
  if (!(server instanceof PostgresServer)) throw new Error('PgBouncer stands before a PostgreSQL only.');
  if ('missing' in pgbouncer) throw new Error(pgbouncer.missing);
  const pooler = await PgBouncer.start({ reaper, program: pgbouncer.file, folder, postgres: server });
  return {
    url: pooler.url,
    servers: [version, pooler.version],
    async close() {
      await pooler.stop();
      await server.stop();
    },
  };
}
