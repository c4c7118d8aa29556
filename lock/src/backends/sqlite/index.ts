/**
 * Locks in an SQLite file, for the processes of one machine: nothing to install on Node 22.13 and newer, and a killed
 * holder frees its locks at once.
 *
 * A lock is a row with an owner and a deadline on the machine's monotonic clock; waiters stand in a queue table. Every
 * step is one short exclusive transaction (`lock-table.ts`), and whoever releases gives the lock to the first live
 * waiter in that same transaction and then touches that one's wake file. SQLite is never left to wait: who finds the
 * file in use asks again a little later (`transactions.ts`).
 *
 * Each backend object also holds an exclusive transaction on a file of its own as long as it lives. When its process
 * is killed the system drops that lock; whoever waits behind it looks every 25 ms, finds it dead, and ends what it had
 * (`liveness.ts`, `lookout.ts`). A process that is stopped keeps its lock until the TTL is over.
 *
 * There is a file for each boot, written without flushing: no holder survives a power cut, so no lock needs to. Fencing
 * tokens do, and start above a floor that is flushed before it is used (`floor.ts`).
 *
 * Where it can fail: a process that is stopped in the middle of a step, which takes a quarter of a millisecond, keeps
 * the file and with it all locks until it goes on. If somebody removes the files, all locks in them are lost; holders
 * hear of it at their next renewal.
 *
 * @module
 */
import path from 'node:path';
import { type Clock, systemClock } from '../../core/clock.ts';
import { checkKeys } from '../../core/options.ts';
import { SqliteBackend } from './backend.ts';
import type { Opener } from './client.ts';
import { checkBootId } from './machine.ts';
import { defaultDirectory } from './private-files.ts';

export type { Database, Opener, SqlValue, Statement } from './client.ts';
export { SqliteBackend };

export interface SqliteBackendOptions {
  /**
   * Where the files are; made with mode 0700 if it is missing. All processes that are to exclude each other name the
   * same one. Default: `$XDG_STATE_HOME/holdfast`, or `~/.local/state/holdfast`. It must be on a disk of this machine,
   * belong to this user, and be closed to others.
   */
  readonly directory?: string;
  /**
   * When the locks of this object are free if its process is killed. Default `at-once`. With `after-ttl` they are kept
   * for what is left of their TTL: for a process that holds a lock for work that another process does, which may still
   * be at it then.
   */
  readonly liveness?: 'at-once' | 'after-ttl';
  /** For tests: the clock of all backend objects of the directory, by which the rows are written as well. */
  readonly clock?: Clock;
  /** For tests: the id of this boot. Another one is as good as a reboot. */
  readonly bootId?: string;
}

/**
 * Locks in an SQLite file, for the processes of one machine.
 *
 * `open` opens a database: `(path) => new DatabaseSync(path)` with node:sqlite, or `new Database(path)` of
 * better-sqlite3 or libsql. Files are opened at the first use; what is wrong with them is a `LockError` then.
 */
export function sqliteBackend(open: Opener, options: SqliteBackendOptions = {}): SqliteBackend {
  if (typeof open !== 'function') {
    throw new TypeError(`The opener of sqliteBackend must be a function (path) => database, and is ${typeof open}.`);
  }
  checkKeys('The options of sqliteBackend', options, ['directory', 'liveness', 'clock', 'bootId']);
  const { directory = defaultDirectory(), liveness = 'at-once', clock = systemClock, bootId } = options;
  if (typeof directory !== 'string' || directory === '') {
    throw new TypeError('The option directory must be a path.');
  }
  if (liveness !== 'at-once' && liveness !== 'after-ttl') {
    throw new RangeError(`The option liveness must be 'at-once' or 'after-ttl', and is ${String(liveness)}.`);
  }
  return new SqliteBackend({
    open,
    directory: path.resolve(directory),
    liveness,
    clock,
    bootId: bootId === undefined ? undefined : checkBootId(bootId),
  });
}
