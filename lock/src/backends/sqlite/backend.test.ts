import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Instant, systemClock } from '../../core/clock.ts';
import type { SqliteBackend } from './backend.ts';
import { sqliteBackend } from './index.ts';
import { loadEngine } from './test-support/engine.mjs';

const { open } = await loadEngine();
const made: SqliteBackend[] = [];
let directory = mkdtempSync(path.join(tmpdir(), 'holdfast-sqlite-'));

function create(): SqliteBackend {
  const backend = sqliteBackend(open, { directory });
  made.push(backend);
  return backend;
}

afterEach(async () => {
  for (const backend of made.splice(0)) await backend.close();
  rmSync(directory, { recursive: true, force: true });
  directory = mkdtempSync(path.join(tmpdir(), 'holdfast-sqlite-'));
});

let owners = 0;
const request = (name: string, ttlMs = 5_000) => ({
  name,
  owner: `owner-${++owners}`,
  ttlMs,
  purpose: undefined,
  heartbeatMs: ttlMs / 3,
});
const soon = () => Instant.plus(systemClock.now(), 5_000);

it('gives a lock to one owner at a time', async () => {
  const [one, two] = [create(), create()];
  const [a, b] = [request('x'), request('x')];
  const first = await one.tryAcquire(a, soon());
  expect(first.outcome).toBe('granted');
  expect((await two.tryAcquire(b, soon())).outcome).toBe('busy');
  expect(await two.queue('enter', b, soon())).toMatchObject({ outcome: 'waiting' });
  const woken = new Promise((resolve) => two.listen(b, resolve));
  expect(await one.release(a, soon())).toBe('released');
  expect(await woken).toMatchObject({ outcome: 'granted' });
});
