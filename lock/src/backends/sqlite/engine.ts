/**
 * The SQLite that the opener opens files with.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { LockError } from '../../core/errors.ts';
import type { Database, Opener } from './client.ts';
import { isOwn, parseInstanceId } from './liveness.ts';
import { processKey } from './machine.ts';

/** The oldest SQLite that knows all that the statements use. */
const OLDEST_VERSION = [3, 35, 0] as const;

/** Reads the version, without any file, and gives what tells this copy of SQLite from another one. */
export function checkEngine(open: Opener): string {
  const database = open(':memory:');
  if (typeof database?.exec !== 'function' || typeof database.prepare !== 'function') {
    throw new LockError(
      'CONFIG',
      'The opener of sqliteBackend gave no database: it must have exec, prepare and close.',
    );
  }
  try {
    const [row] = database.prepare('SELECT sqlite_version() AS version, sqlite_source_id() AS source').all() as {
      version: string;
      source: string;
    }[];
    if (row?.version === undefined) {
      throw new LockError(
        'CONFIG',
        'The opener of sqliteBackend gave a database whose rows are no objects: it must be opened without `returnArrays`.',
      );
    }
    const { version, source } = row;
    if (isOlder(version.split('.').map(Number), OLDEST_VERSION)) {
      throw new LockError(
        'CONFIG',
        `SQLite ${version} is too old: the sqlite backend needs ${OLDEST_VERSION.join('.')} or newer.`,
      );
    }
    return createHash('sha256').update(source).digest('hex').slice(0, 8);
  } finally {
    database.close();
  }
}

function isOlder(version: readonly number[], than: readonly number[]): boolean {
  for (const [index, number] of than.entries()) {
    const difference = (version[index] ?? 0) - number;
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Two copies of SQLite in one process undo each other's POSIX locks; in one thread they take turns, in two they do not. */
export function checkOneEngine(aliveFolder: string, engineKey: string): void {
  for (const id of readdirSync(aliveFolder)) {
    const parts = parseInstanceId(id);
    if (parts === undefined || parts.processKey !== processKey() || isOwn(id)) continue;
    if (parts.engineKey === engineKey) continue;
    throw new LockError(
      'CONFIG',
      'Another thread of this process uses another copy of SQLite on the same directory, and the two would undo each ' +
        "other's file locks. Use the same SQLite library in all threads.",
    );
  }
}

/** Opens a file of ours. */
export function openQuietly(open: Opener, file: string): Database {
  const database = open(file);
  // Waiting inside SQLite would stop the event loop; who finds the file taken tries again later.
  database.exec('PRAGMA busy_timeout = 0');
  return database;
}
