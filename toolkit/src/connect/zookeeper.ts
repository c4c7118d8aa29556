/**
 * A ZooKeeper server or ensemble, through the client that `holdfast/zookeeper` brings.
 *
 * @module
 */
import { BackendUnavailableError, Instant, LockError, systemClock } from 'holdfast';
import { zookeeperBackend } from 'holdfast/zookeeper';
import { AddressError, redact, type ZooKeeperAddress } from './address.ts';
import type { Connection, ConnectOptions } from './connection.ts';

/** For servers that do not answer at all, as behind a firewall. */
const CONNECT_TIMEOUT_MS = 5_000;

export async function openZooKeeper(
  address: ZooKeeperAddress,
  { patienceMs = 0, signal }: ConnectOptions,
): Promise<Connection> {
  const backend = newBackend(address);
  const connection: Connection = { description: address.description, backend, close: () => backend.close() };
  const stop = (): void => void backend.close();
  signal?.addEventListener('abort', stop);
  try {
    // The backend goes on trying by itself; the first answer says that servers, chroot and user are right.
    await backend.list(Instant.plus(systemClock.now(), Math.max(CONNECT_TIMEOUT_MS, patienceMs)));
    return connection;
  } catch (error) {
    await backend.close();
    throw explained(address, error);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

function newBackend({ servers, digest, tls }: ZooKeeperAddress): ReturnType<typeof zookeeperBackend> {
  try {
    return zookeeperBackend(servers, { ...(digest === undefined ? {} : { digest }), ...(tls ? { tls: {} } : {}) });
  } catch (error) {
    throw new AddressError(`The zookeeper:// URL cannot be used: ${(error as Error).message}`);
  }
}

function explained(address: ZooKeeperAddress, error: unknown): Error {
  const reason = redact((error as Error).message, address);
  if (error instanceof LockError && error.code !== 'UNAVAILABLE' && error.code !== 'OUTCOME_UNKNOWN') {
    return new LockError(error.code, `${address.description}: ${reason}`, { cause: error });
  }
  return new BackendUnavailableError(
    `${address.description} cannot be reached: ${reason} Are the servers running, and are hosts and ports right?`,
    { cause: error },
  );
}
