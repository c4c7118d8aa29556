/**
 * What an engine was told about 64-bit numbers and about rows, for the queries of its own program.
 *
 * @module
 */
import { expect, it } from 'vitest';
import type { Database } from '../backends/sqlite/client.ts';
import { loadEngine } from '../backends/sqlite/test-support/engine.mjs';
import { type SqliteGuard, sqliteGuard } from './sqlite.ts';
import { describeAnswers, inTransactions } from './test-support/guard-suite.ts';

const [builtIn, libsql] = [await loadEngine('node:sqlite'), await loadEngine('libsql')];

function withBigints(database: Database): Database {
  (database as unknown as { defaultSafeIntegers(toggle: boolean): void }).defaultSafeIntegers(true);
  return database;
}

const engines: Readonly<Record<string, Database>> = {
  libsql: libsql.open(':memory:'),
  'libsql, whose numbers are bigints': withBigints(libsql.open(':memory:')),
  // On Node 20 there is none, and the tests of libsql are all.
  ...(builtIn.name === 'node:sqlite' && {
    'node:sqlite': builtIn.open(':memory:'),
    'node:sqlite, whose numbers are bigints': builtIn.open(':memory:', { readBigInts: true }),
    'node:sqlite, whose rows are lists': builtIn.open(':memory:', { returnArrays: true }),
  }),
};

const guardOf = (source: string): SqliteGuard => sqliteGuard({ source });

for (const [name, database] of Object.entries(engines)) {
  database.exec(guardOf('test').ddl);
  const guard = inTransactions<Database>(guardOf, async (work) => {
    database.exec('BEGIN IMMEDIATE');
    try {
      work(database);
      database.exec('COMMIT');
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  });
  describeAnswers(`SQLite, through ${name}`, () => guard);

  it(`without a transaction there is no guard: ${name}`, () => {
    expect(() => guardOf('test').fence(database, 'none is open', 1n)).toThrow('BEGIN IMMEDIATE');
  });
}

it('placeholders have no numbers, which better-sqlite3 would take for names', () => {
  const database = libsql.open(':memory:');
  database.exec(`${guardOf('test').ddl}BEGIN`);
  const statements: string[] = [];
  const recorded = {
    prepare(sql: string): ReturnType<Database['prepare']> {
      statements.push(sql);
      return database.prepare(sql);
    },
  };
  guardOf('test').fence(recorded, 'account', 2n);
  expect(() => guardOf('test').fence(recorded, 'account', 1n)).toThrow('stale');
  guardOf('test').raise(recorded, 'account', 3n);
  guardOf('other').changeSource(recorded, 'account', { from: 'test', floor: 1n });
  expect(statements).toHaveLength(5);
  for (const statement of statements) expect(statement).not.toMatch(/[?:@$]\w/);
});
