/**
 * A folder of its own for each test, and backend objects in it that are closed after the test.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { AcquireRequest } from '../../../core/backend.ts';
import { Instant, systemClock } from '../../../core/clock.ts';
import type { Opener } from '../client.ts';
import { type SqliteBackend, type SqliteBackendOptions, sqliteBackend } from '../index.ts';
import { loadEngine } from './engine.mjs';
import { OtherProcess, type ProcessOptions } from './processes.ts';

const engine = await loadEngine();
export const open: Opener = engine.open;

/** A new private folder, removed after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A backend object, closed after the test. */
export function newBackend(options: SqliteBackendOptions & { readonly directory: string }): SqliteBackend {
  const backend = sqliteBackend(open, options);
  onTestFinished(() => backend.close());
  return backend;
}

/** A process with a backend object, killed after the test. */
export async function newProcess(options: ProcessOptions): Promise<OtherProcess> {
  const other = await OtherProcess.start(options);
  onTestFinished(async () => {
    await other.kill();
  });
  return other;
}

let owners = 0;

/** A request with an owner id that was never used. */
export function requestFor(name: string, changes: Partial<AcquireRequest> = {}): AcquireRequest {
  const ttlMs = changes.ttlMs ?? 30_000;
  const owner = `owner-${process.pid}-${++owners}`;
  return { name, owner, ttlMs, heartbeatMs: ttlMs / 3, purpose: undefined, ...changes };
}

/** A deadline that is far enough for any answer. */
export function soon(): Instant {
  return Instant.plus(systemClock.now(), 20_000);
}

/** The machine's monotonic clock. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Waits for a condition, looking every few milliseconds. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpMs = monotonicMs() + 10_000;
  while (!(await condition())) {
    if (monotonicMs() > giveUpMs) throw new Error(`Not within 10 s: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
