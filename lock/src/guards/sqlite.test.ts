import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadEngine } from '../backends/sqlite/test-support/engine.mjs';
import { sqliteGuard } from './sqlite.ts';
import { describeGuard, type GuardUnderTest } from './test-support/guard-suite.ts';

const { open } = await loadEngine();
const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-guard-'));
const file = path.join(folder, 'data.db');
const setUp = open(file);
setUp.exec(`${sqliteGuard({ source: 'test' }).ddl}CREATE TABLE register (resource TEXT PRIMARY KEY, tokens TEXT)`);
afterAll(() => {
  setUp.close();
  rmSync(folder, { recursive: true, force: true });
});

type Opened = ReturnType<typeof open>;

/** A connection with a write transaction; while another one has the file, it asks again, as a program would. */
async function begin(): Promise<Opened> {
  for (;;) {
    const database = open(file);
    try {
      database.exec('PRAGMA busy_timeout = 0; PRAGMA synchronous = OFF');
      database.exec('BEGIN IMMEDIATE');
      return database;
    } catch {
      database.close();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function end(database: Opened, how: 'COMMIT' | 'ROLLBACK'): void {
  database.exec(how);
  database.close();
}

async function inTransaction(work: (database: Opened) => void): Promise<void> {
  const database = await begin();
  try {
    work(database);
  } catch (error) {
    end(database, 'ROLLBACK');
    throw error;
  }
  end(database, 'COMMIT');
}

const subject: GuardUnderTest = {
  async begin(resource, source = 'test') {
    const guard = sqliteGuard({ source });
    const database = await begin();
    return {
      fence: async (token) => guard.fence(database, resource, token),
      async read() {
        const row = database.prepare('SELECT tokens FROM register WHERE resource = ?').get(resource);
        return JSON.parse((row as { tokens: string } | undefined)?.tokens ?? '[]');
      },
      async write(tokens) {
        database.prepare('REPLACE INTO register VALUES (?, ?)').run(resource, JSON.stringify(tokens));
      },
      commit: async () => end(database, 'COMMIT'),
      rollback: async () => end(database, 'ROLLBACK'),
    };
  },
  raise: (resource, token) =>
    inTransaction((database) => sqliteGuard({ source: 'test' }).raise(database, resource, token)),
  changeSource: (resource, to, change) =>
    inTransaction((database) => sqliteGuard({ source: to }).changeSource(database, resource, change)),
};

describeGuard('SQLite', () => subject);

it('a stale token leaves the transaction open, so that the user rolls it back', async () => {
  const guard = sqliteGuard({ source: 'test' });
  await inTransaction((database) => guard.fence(database, 'open', 2n));
  const database = await begin();
  expect(() => guard.fence(database, 'open', 1n)).toThrow('stale');
  end(database, 'ROLLBACK');
});

it('a missing table is CONFIG, and says how to make it', async () => {
  const { open } = await loadEngine();
  const database = open(':memory:');
  database.exec('BEGIN IMMEDIATE');
  const guard = sqliteGuard({ source: 'test', table: 'nowhere' });
  expect(() => guard.fence(database, 'x', 1n)).toThrow(
    expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining("guard's `ddl`") }),
  );
  database.exec('ROLLBACK');
  database.close();
});
