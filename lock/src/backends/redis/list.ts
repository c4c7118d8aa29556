/**
 * The locks of a server, found with SCAN, which never holds up the server's other clients.
 *
 * @module
 */
import type { LockReport } from '../../core/backend.ts';
import { LockError } from '../../core/errors.ts';
import type { RedisCommands } from './client.ts';
import { lockKeyOfQueue, scanPatterns } from './layout.ts';

/** How many keys the server looks at in one call. */
const PAGE = 1_000;

/** Inspects every lock that is held or waited for, and gives the reports sorted by name. */
export async function scanLocks(
  commands: RedisCommands,
  keyPrefix: string,
  inspect: (name: string) => Promise<LockReport>,
): Promise<readonly LockReport[]> {
  if (commands.cluster === true && commands.servers === undefined) {
    throw new LockError(
      'UNSUPPORTED',
      'The locks of a cluster cannot be listed through this client, which reaches no node by itself.',
    );
  }
  const prefix = (commands.keyPrefix ?? '') + keyPrefix;
  const { locks, queues } = scanPatterns(prefix);
  // Without a prefix every hash of the application would do.
  const onlyHashes = prefix === '' ? ['TYPE', 'hash'] : [];
  const reports = new Map<string, LockReport>();
  const look = async (keys: readonly string[]): Promise<void> => {
    const names = keys
      .filter((key) => key.startsWith(prefix) && !key.startsWith('holdfast.'))
      .map((key) => key.slice(prefix.length));
    for (const report of await Promise.all(names.map(inspect))) {
      if (isInUse(report, prefix === '')) reports.set(report.name, report);
    }
  };
  for (const server of commands.servers?.() ?? [commands]) {
    for await (const keys of scan(server, ['MATCH', locks, ...onlyHashes])) await look(keys);
    for await (const keys of scan(server, ['MATCH', queues])) {
      await look(keys.map(lockKeyOfQueue).filter((key) => key !== undefined));
    }
  }
  return [...reports.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether it is a lock at all: data without an expiry is not, and without a prefix nothing of another layout is. */
function isInUse({ holder, waiters }: LockReport, onlyOurs: boolean): boolean {
  if (waiters.length > 0) return true;
  return holder !== null && (holder.foreign ? !onlyOurs && holder.remainingMs !== undefined : true);
}

async function* scan(
  server: Pick<RedisCommands, 'send'>,
  options: readonly string[],
): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const reply = await server.send(['SCAN', cursor, ...options, 'COUNT', String(PAGE)]);
    const [next, keys] = reply as readonly [string | number, readonly string[]];
    cursor = String(next);
    yield keys;
  } while (cursor !== '0');
}
