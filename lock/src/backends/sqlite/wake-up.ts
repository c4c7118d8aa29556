/**
 * Wake-ups between processes: each backend object has a wake file and watches it; who has news for it touches the
 * file. A touch carries nothing and may be lost; what there is to know stands in the database.
 *
 * @module
 */
import { type FSWatcher, lutimesSync, unlinkSync, watch } from 'node:fs';
import path from 'node:path';
import { type InstanceId, parseInstanceId } from './liveness.ts';
import { createPrivateFile, inodeOf } from './private-files.ts';

/** After a watch has failed, it is tried again this much later; until then whoever waits has to poll. */
const RETRY_MS = 1_000;

export class WakeUp {
  readonly #folder: string;
  readonly #file: string;
  readonly #onWake: () => void;
  #watcher: FSWatcher | undefined;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(folder: string, id: InstanceId, onWake: () => void) {
    this.#folder = folder;
    this.#file = path.join(folder, id);
    this.#onWake = onWake;
    this.ensureWatching();
  }

  /**
   * Whether touches arrive. Linux allows 128 watching processes for each user by default; who gets no watch, or whose
   * file was swept away, polls meanwhile.
   */
  ensureWatching(): boolean {
    if (this.#watcher !== undefined) return true;
    if (performance.now() - this.#failedAtMs < RETRY_MS) return false;
    try {
      if (inodeOf(this.#file) === undefined) createPrivateFile(this.#file);
      this.#watcher = watch(this.#file, { persistent: false }, (event) => {
        if (event === 'rename') this.#stop(); // the file was moved or removed
        this.#onWake();
      });
      this.#watcher.on('error', () => this.#stop());
      return true;
    } catch {
      this.#stop();
      return false;
    }
  }

  /** Wakes another instance. Whether there is one, or it has a file, does not matter to us. */
  touch(id: InstanceId): void {
    if (parseInstanceId(id) === undefined) return;
    try {
      const now = Date.now() / 1000;
      lutimesSync(path.join(this.#folder, id), now, now); // never follows a link
    } catch {
      // It polls, or it is gone.
    }
  }

  /** Removes the wake file of an instance that is gone. */
  forget(id: InstanceId): void {
    if (parseInstanceId(id) === undefined) return;
    try {
      unlinkSync(path.join(this.#folder, id));
    } catch {
      // Gone already.
    }
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#failedAtMs = Number.POSITIVE_INFINITY;
    try {
      unlinkSync(this.#file);
    } catch {
      // Gone already.
    }
  }

  #stop(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#failedAtMs = performance.now();
  }
}
