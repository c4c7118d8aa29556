/**
 * The folder of a boot, and those that earlier boots have left: their locks ended with the boot, and the first process
 * of a new one removes them.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { LockError } from '../../core/errors.ts';
import type { Opener } from './client.ts';
import { openQuietly } from './engine.ts';
import { Probes } from './liveness.ts';
import { clockShift } from './machine.ts';
import { createPrivateFile, inodeOf } from './private-files.ts';
import { SCHEMA } from './statements/schema.ts';

/** Makes the folder of a boot aside and moves it to its place; if another process was first, theirs is used. */
export function makeBootFolder(open: Opener, directory: string, folder: string, floor: bigint): void {
  const draft = path.join(directory, `draft-${path.basename(folder)}-${randomBytes(12).toString('hex')}`);
  mkdirSync(draft, { mode: 0o700 });
  try {
    for (const name of ['alive', 'wake']) mkdirSync(path.join(draft, name), { mode: 0o700 });
    const file = path.join(draft, 'locks.db');
    createPrivateFile(file);
    const database = openQuietly(open, file);
    try {
      database.exec(SCHEMA);
      database
        .prepare('INSERT INTO counter VALUES (1, CAST(? AS INTEGER), CAST(? AS INTEGER), ?)')
        .run(String(floor), String(floor), clockShift());
      database.exec('COMMIT');
    } finally {
      database.close();
    }
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    const { code } = error as { code?: unknown };
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

export class OtherBoots {
  readonly #open: Opener;
  readonly #directory: string;
  readonly #leftovers: readonly string[];

  constructor(open: Opener, directory: string, current: string) {
    this.#open = open;
    this.#directory = directory;
    this.#leftovers = readdirSync(directory).filter(
      (name) => /^(draft-)?boot-/.test(name) && name !== current && !name.startsWith(`draft-${current}-`),
    );
  }

  /**
   * Throws if a process with another boot id lives: then the directory is shared with another machine, or with a
   * sandbox that has a kernel of its own, and neither would see the other's locks.
   */
  refuseLiving(): void {
    for (const name of this.#leftovers) {
      const alive = path.join(this.#directory, name, 'alive');
      const probes = new Probes(this.#open, alive);
      const living = list(alive).some((id) => probes.look(id, inodeOf(path.join(alive, id)) ?? '') === 'alive');
      probes.close();
      if (!living) continue;
      throw new LockError(
        'CONFIG',
        `A process of another machine (or of a sandbox with its own kernel) uses ${this.#directory}: ${name} is alive. ` +
          'The sqlite backend is for the processes of one machine: give each a directory of its own.',
      );
    }
  }

  /** Removes them in the background. What cannot be removed is left for the next boot. */
  async remove(): Promise<void> {
    for (const name of this.#leftovers) {
      await rm(path.join(this.#directory, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
