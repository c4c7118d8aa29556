/**
 * Whether the process that a row names is alive, known from the operating system.
 *
 * Each backend object has a liveness file of unique name, on which it holds an exclusive SQLite transaction from before
 * any row names it until its end. When the process ends, however it ends, the system drops the file's locks; then and
 * only then can somebody else read the file. A stopped process keeps them. What proves nothing is `unknown`, and the
 * TTL decides: a missing file, another inode by that name, a file of this very process.
 *
 * The rule that all of it hangs on: nobody opens a liveness file of his own process, since closing any descriptor of it
 * would drop the locks, and a living holder would look dead. So one's own are answered from memory, and those of other
 * threads of this process, which one's memory does not know, are `unknown`.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { renameSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { LockError } from '../../core/errors.ts';
import type { Database, Opener } from './client.ts';
import { isBusy } from './failures.ts';
import { processKey } from './machine.ts';
import { checkPrivateFile, createPrivateFile, inodeOf } from './private-files.ts';

export type Verdict = 'alive' | 'dead' | 'unknown';

/** The id of a backend object: process, SQLite copy, chance. It names files, so it is checked before it is used. */
export type InstanceId = string;

const INSTANCE_ID = /^[0-9a-f]{16}-[0-9a-f]{8}-[0-9a-f]{24}$/;

function newInstanceId(engineKey: string): InstanceId {
  return `${processKey()}-${engineKey}-${randomBytes(12).toString('hex')}`;
}

/** The parts of an instance id, or undefined if it is none of ours. */
export function parseInstanceId(id: string): { readonly processKey: string; readonly engineKey: string } | undefined {
  if (!INSTANCE_ID.test(id)) return undefined;
  return { processKey: id.slice(0, 16), engineKey: id.slice(17, 25) };
}

/** The instances of this thread, shared by all copies of this module in it, and whether they are still open. */
const OWN = Symbol.for('holdfast.sqlite.instances');
const shared = globalThis as { [OWN]?: Map<InstanceId, 'alive' | 'dead'> };
shared[OWN] ??= new Map();
const own: Map<InstanceId, 'alive' | 'dead'> = shared[OWN];

/** Whether this thread knows the instance as one of its own. */
export function isOwn(id: InstanceId): boolean {
  return own.has(id);
}

/**
 * The life of one backend object. It holds its file from the constructor until `end`. Of one that is not `provable` the
 * file has no name, so that nobody can look at it: its death is never known, and the TTL decides.
 */
export class Life {
  readonly id: InstanceId;
  readonly inode: string;
  readonly #file: string;
  readonly #database: Database;
  readonly #provable: boolean;

  constructor(open: Opener, folder: string, engineKey: string, { provable }: { readonly provable: boolean }) {
    this.#provable = provable;
    this.id = newInstanceId(engineKey);
    this.#file = path.join(folder, this.id);
    // Under its name it appears only when it is locked, so that nobody ever takes who is starting for dead.
    const draft = `${this.#file}.draft`;
    createPrivateFile(draft);
    this.#database = open(draft);
    try {
      this.#hold();
      if (provable) renameSync(draft, this.#file);
      else unlinkSync(draft);
      this.inode = inodeOf(this.#file) ?? '';
    } catch (error) {
      this.#database.close();
      removeQuietly(draft);
      throw error;
    }
    own.set(this.id, 'alive');
  }

  #hold(): void {
    // Write-ahead logging would let readers pass an exclusive lock, and would stick to the file of the tables.
    const [row] = this.#database.prepare('PRAGMA journal_mode').all() as { journal_mode?: string }[];
    if (row?.journal_mode === 'wal') {
      throw new LockError('CONFIG', 'The opener of sqliteBackend sets journal_mode to WAL, and must leave it alone.');
    }
    // Nothing is ever written, so no journal is needed; libsql would make one all the same.
    this.#database.exec('PRAGMA journal_mode = MEMORY');
    this.#database.exec('PRAGMA busy_timeout=0');
    this.#database.exec('BEGIN EXCLUSIVE');
  }

  /** Whether the file is still there for others to look at, if it is meant to be. */
  isVisible(): boolean {
    return !this.#provable || inodeOf(this.#file) === this.inode;
  }

  /** Ends the life: from now on whoever looks finds it dead. */
  end(): void {
    own.set(this.id, 'dead');
    this.#database.close();
  }

  /** Removes the file, once no row names it any more. */
  forget(): void {
    own.delete(this.id);
    removeQuietly(this.#file);
  }
}

/** Looks at the lives of other processes, and keeps the files open that it looks at often. */
export class Probes {
  readonly #open: Opener;
  readonly #folder: string;
  /** In order of last use. */
  readonly #kept: Map<InstanceId, Database> = new Map();

  constructor(open: Opener, folder: string) {
    this.#open = open;
    this.#folder = folder;
  }

  /** Without waiting. `inode` is what the instance has said its file is. */
  look(id: InstanceId, inode: string): Verdict {
    const parts = parseInstanceId(id);
    if (parts === undefined) return 'unknown';
    const known = own.get(id);
    if (known !== undefined) return known;
    if (parts.processKey === processKey()) return 'unknown';
    const file = path.join(this.#folder, id);
    try {
      if (inodeOf(file) !== inode) return this.#drop(id, 'unknown');
      checkPrivateFile(file);
      const database = this.#take(id, file);
      if (!isFree(database)) return 'alive';
      // The path may have begun to mean another file while it was being opened.
      return this.#drop(id, inodeOf(file) === inode ? 'dead' : 'unknown');
    } catch {
      return this.#drop(id, 'unknown');
    }
  }

  /** Removes the file of a dead instance that no row names any more. */
  forget(id: InstanceId): void {
    if (parseInstanceId(id) !== undefined) removeQuietly(path.join(this.#folder, id));
  }

  close(): void {
    for (const id of [...this.#kept.keys()]) this.#drop(id, 'unknown');
  }

  #take(id: InstanceId, file: string): Database {
    let database = this.#kept.get(id);
    if (database === undefined) {
      database = this.#open(file);
      database.exec('PRAGMA busy_timeout=0');
    } else {
      this.#kept.delete(id);
    }
    this.#kept.set(id, database);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_OPEN && oldest !== undefined) this.#drop(oldest, 'unknown');
    return database;
  }

  #drop(id: InstanceId, verdict: Verdict): Verdict {
    const database = this.#kept.get(id);
    this.#kept.delete(id);
    try {
      database?.close();
    } catch {
      // It is out of use either way.
    }
    return verdict;
  }
}

/** How many liveness files a process keeps open to look at them. */
const KEPT_OPEN = 16;

/** Whether nobody holds the file: reading takes a shared lock, which the exclusive one keeps out. */
function isFree(database: Database): boolean {
  try {
    database.exec('SELECT 1 FROM sqlite_master');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function removeQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Gone already, or not removable: nothing depends on it.
  }
}
