/**
 * The files of one directory, as one backend object has them open:
 *
 *   floor/<number>          up to where fencing tokens may have been given out, over all boots
 *   boot-<id>/locks.db      the tables, for this boot only: a power cut may damage them, but nobody reads them after it
 *   boot-<id>/alive/<id>    the liveness file of a backend object
 *   boot-<id>/wake/<id>     what is touched to wake it
 *
 * A boot's folder is made under another name and moved to its place when it is whole, so nobody sees half of one.
 *
 * @module
 */
import { lstatSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { LockError } from '../../core/errors.ts';
import { makeBootFolder, OtherBoots } from './boots.ts';
import type { Database, Opener } from './client.ts';
import { checkEngine, checkOneEngine, openQuietly } from './engine.ts';
import { readFloor } from './floor.ts';
import { Life, Probes } from './liveness.ts';
import { LockTable } from './lock-table.ts';
import { clockShift } from './machine.ts';
import { checkLocalFileSystem, checkPrivateFile, ensurePrivateFolder, inodeOf } from './private-files.ts';
import type { TableContext } from './rows.ts';
import { LAYOUT } from './statements/schema.ts';
import { prepareStatements, type Statements } from './statements/statements.ts';
import { WakeUp } from './wake-up.ts';

/** How often it is checked that others have not taken us for dead. */
const REGISTERED_EVERY_MS = 1_000;

export interface StoreOptions {
  readonly open: Opener;
  readonly directory: string;
  readonly bootId: string;
  /** Whether others can know of our death. */
  readonly provable: boolean;
  /** Called when another process has touched our wake file. */
  readonly onWake: () => void;
}

export class Store {
  readonly folder: string;
  readonly floorFolder: string;
  readonly life: Life;
  readonly wakeUp: WakeUp;
  readonly probes: Probes;
  readonly #file: string;
  readonly #inode: string;
  readonly #database: Database;
  #statements: Statements | undefined;
  #isSetUp = false;
  #registeredMs = Number.NEGATIVE_INFINITY;
  /** The same in this transaction, which may yet be undone. */
  #registeringMs: number | undefined;

  /** Throws a `LockError`, or what the file system or SQLite say. Another process may have the file: then try again. */
  constructor({ open, directory, bootId, provable, onWake }: StoreOptions) {
    this.floorFolder = path.join(directory, 'floor');
    this.folder = path.join(directory, `boot-${bootId}`);
    this.#file = path.join(this.folder, 'locks.db');
    const alive = path.join(this.folder, 'alive');
    const wake = path.join(this.folder, 'wake');

    ensurePrivateFolder(directory);
    checkLocalFileSystem(directory);
    ensurePrivateFolder(this.floorFolder);
    const engineKey = checkEngine(open);
    if (!exists(this.folder)) {
      const boots = new OtherBoots(open, directory, path.basename(this.folder));
      boots.refuseLiving();
      makeBootFolder(open, directory, this.folder, readFloor(this.floorFolder));
      void boots.remove();
    }
    for (const folder of [this.folder, alive, wake]) ensurePrivateFolder(folder);
    if (!exists(this.#file)) {
      // Made anew here, it could be made by two at once, each with locks of its own.
      throw new LockError(
        'CONFIG',
        `${this.#file} is missing, though its folder is there: somebody has removed it, and with it all locks. ` +
          'Remove the folder as well, when what was held is over.',
      );
    }
    checkPrivateFile(this.#file);
    checkPrivateFile(`${this.#file}-journal`, { optional: true });
    checkOneEngine(alive, engineKey);

    this.#inode = inodeOf(this.#file) ?? '';
    this.life = new Life(open, alive, engineKey, { provable });
    try {
      this.wakeUp = new WakeUp(wake, this.life.id, onWake);
      this.#database = openQuietly(open, this.#file);
    } catch (error) {
      this.life.end();
      this.life.forget();
      throw error;
    }
    this.probes = new Probes(open, alive);
  }

  get file(): string {
    return this.#file;
  }

  /** Whether our file is the one at its path. If it is not, nothing in it counts any more. */
  isInPlace(): boolean {
    return inodeOf(this.#file) === this.#inode;
  }

  /** Begins an exclusive transaction; throws if another process is at it. Then nothing in it can be refused. */
  begin(): void {
    if (!this.#isSetUp) this.#setUp();
    if (this.#statements === undefined) this.#database.exec('BEGIN EXCLUSIVE');
    else this.#statements.begin.run();
  }

  /** The tables, inside a transaction; undefined if the file is not the one at its path any more, and so is void. */
  table(clocks: Omit<TableContext, 'instance'>): LockTable | undefined {
    if (!this.isInPlace()) return undefined;
    const isNew = this.#statements === undefined;
    this.#statements ??= prepareStatements(this.#database);
    const table = new LockTable(this.#statements, { ...clocks, instance: this.life.id });
    if (isNew) this.#checkLayout(table);
    if (clocks.nowMs - this.#registeredMs > REGISTERED_EVERY_MS) {
      if (!this.#register(table)) return undefined;
      this.#registeringMs = clocks.nowMs;
    }
    return table;
  }

  commit(): void {
    if (this.#statements === undefined) this.#database.exec('COMMIT');
    else this.#statements.commit.run();
    if (this.#registeringMs !== undefined) this.#registeredMs = this.#registeringMs;
    this.#registeringMs = undefined;
  }

  /** Undoes the transaction, if there still is one. */
  rollback(): void {
    this.#registeringMs = undefined;
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has undone it already.
    }
  }

  /** Ends our life, and closes what was opened. */
  close(): void {
    this.wakeUp.close();
    this.probes.close();
    this.life.end();
    try {
      this.#database.close();
    } catch {
      // It is out of use either way.
    }
  }

  /** Puts us into the table of instances, if we are not there (any more); false if we have to start anew. */
  #register(table: LockTable): boolean {
    if (table.instances.get(this.life.id) !== undefined) return true;
    // Whoever saw our file before it was locked may have taken it for a dead one, and removed it.
    if (!this.life.isVisible()) return false;
    table.instances.add({ id: this.life.id, inode: this.life.inode, host: hostname(), pid: process.pid });
    table.tidy();
    return true;
  }

  #setUp(): void {
    const [row] = this.#database.prepare('PRAGMA journal_mode = PERSIST').all() as { journal_mode?: string }[];
    if (row?.journal_mode !== 'persist') {
      throw new LockError(
        'CONFIG',
        `${this.#file} has journal_mode=${row?.journal_mode}, and must have persist. Does the opener set another?`,
      );
    }
    // Without flushes: what a power cut would damage is never read after it, and a killed process loses nothing.
    this.#database.exec('PRAGMA synchronous = OFF');
    this.#isSetUp = true;
  }

  #checkLayout(table: LockTable): void {
    const [row] = this.#database.prepare('PRAGMA user_version').all() as { user_version?: number }[];
    if (Number(row?.user_version) !== LAYOUT) {
      throw new LockError(
        'CONFIG',
        `${this.#file} has layout ${row?.user_version}, and this version of holdfast has layout ${LAYOUT}. ` +
          'All processes that share a directory need one version: stop the others, remove that folder, start again.',
      );
    }
    const theirs = table.counter().clockShift;
    if (theirs !== clockShift()) {
      throw new LockError(
        'CONFIG',
        `The monotonic clock of this process is shifted by ${clockShift()} (seconds, nanoseconds), and that of the ` +
          `processes that use ${this.#file} by ${theirs}: they are in another time namespace. ` +
          'Give each time namespace a directory of its own; locks do not reach over it.',
      );
    }
  }
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
