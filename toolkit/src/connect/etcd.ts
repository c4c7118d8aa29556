/**
 * An etcd, through the client that the lock brings.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BackendUnavailableError, Instant, LockError, systemClock } from 'holdfast';
import { type EtcdBackend, etcdBackend } from 'holdfast/etcd';
import { type EtcdAddress, redact } from './address.ts';
import type { Connection, ConnectOptions } from './connection.ts';

/** How long one answer may take. */
const ANSWER_MS = 5_000;

/** Between two tries to reach it. */
const RETRY_MS = 500;

export async function openEtcd(address: EtcdAddress, options: ConnectOptions): Promise<Connection> {
  const { members, tls, username, password, keyPrefix, description } = address;
  const backend = etcdBackend({
    endpoints: members.map((member) => `${tls ? 'https' : 'http'}://${member}`),
    keyPrefix,
    ...(username === undefined || password === undefined ? {} : { credentials: { user: username, password } }),
  });
  try {
    await untilAnswered(backend, address, options);
  } catch (error) {
    await backend.close();
    throw error;
  }
  return { description, backend, close: () => backend.close() };
}

/** Asks for a lock that nobody has, so that a wrong address or password is known now. */
async function untilAnswered(
  backend: EtcdBackend,
  address: EtcdAddress,
  { patienceMs = 0, signal }: ConnectOptions,
): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    try {
      await backend.inspect('holdfast', Instant.plus(systemClock.now(), ANSWER_MS));
      return;
    } catch (error) {
      const leftMs = giveUpAt - performance.now();
      if (!isTransient(error) || leftMs <= 0 || signal?.aborted) throw explained(address, error);
      await sleep(Math.min(RETRY_MS, leftMs), undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    }
  }
}

/** Whether trying again can help. */
function isTransient(error: unknown): boolean {
  return error instanceof LockError && (error.code === 'UNAVAILABLE' || error.code === 'OUTCOME_UNKNOWN');
}

function explained(address: EtcdAddress, error: unknown): LockError {
  const text = redact(error instanceof Error ? error.message : String(error), address);
  if (error instanceof LockError && !isTransient(error)) {
    return new LockError(error.code, `${address.description} refuses us: ${text}`);
  }
  return new BackendUnavailableError(
    `${address.description} cannot be reached: ${text} Is the server running, and are host and port right?`,
  );
}
