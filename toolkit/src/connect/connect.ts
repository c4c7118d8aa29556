/**
 * From a URL to a backend. The only place of the toolkit's commands that knows client libraries; each is loaded only
 * when a URL asks for it.
 *
 * @module
 */
import { type Address, parseAddress } from './address.ts';
import type { Connection, ConnectOptions } from './connection.ts';

/**
 * Connects, and resolves when the server has answered. Rejects with `AddressError` for a URL that cannot be used, with
 * `BackendUnavailableError` if the server cannot be reached, with a `LockError` of the code `ACCESS_DENIED` if it
 * refuses us. No error has the password in it.
 */
export async function connect(url: string | undefined, options: ConnectOptions = {}): Promise<Connection> {
  const address: Address = parseAddress(url);
  switch (address.kind) {
    case 'sqlite': {
      const { openSqlite } = await import('./sqlite.ts');
      return openSqlite(address, options);
    }
    case 'redis': {
      const { openRedis } = await import('./redis.ts');
      return openRedis(address, options);
    }
    case 'redlock': {
      const { openRedlock } = await import('./redlock.ts');
      return openRedlock(address, options);
    }
    case 'etcd': {
      const { openEtcd } = await import('./etcd.ts');
      return openEtcd(address, options);
    }
    case 'zookeeper': {
      const { openZooKeeper } = await import('./zookeeper.ts');
      return openZooKeeper(address, options);
    }
    case 'postgres': {
      const { openPostgres } = await import('./postgres.ts');
      return openPostgres(address, options);
    }
    case 'mysql': {
      const { openMysql } = await import('./mysql.ts');
      return openMysql(address, options);
    }
  }
}
