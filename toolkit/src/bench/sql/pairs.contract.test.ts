import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Reaper } from '../../lab/reaper.ts';
import { findServers } from '../../lab/servers/find-server.ts';
import { PostgresServer } from '../../lab/servers/postgres.ts';
import { openAdvisoryLock } from './advisory-lock.ts';
import { openPostgres } from './database.ts';
import { measurePairs } from './measures.ts';

const program = findServers().postgres;
const missing = 'missing' in program ? program.missing : undefined;
const PEERS = fileURLToPath(new URL('../../../../peers', import.meta.url));

describe.skipIf(missing !== undefined)(`the pairs on PostgreSQL${missing ? ` (${missing})` : ''}`, () => {
  let reaper: Reaper;
  let server: PostgresServer;

  beforeAll(async () => {
    if ('missing' in program) return;
    reaper = await Reaper.start();
    server = await PostgresServer.start({ reaper, program: program.file, folder: reaper.folder });
  }, 60_000);

  afterAll(async () => {
    await server?.stop();
    await reaper?.close();
  });

  it('the lock of somebody else takes part in each round, and is held against the bare session lock', async () => {
    const installed = await openAdvisoryLock(server.url, PEERS);
    let rounds = 0;
    const database = await openPostgres(server.url);
    const one = await database.open();
    const theirs = {
      ...installed.pairs,
      counted: async () => {
        rounds++;
        await one.bareSession();
      },
    };
    const { others, perSecond } = await measurePairs(database, 2, 50, theirs);
    await one.close();
    await database.close();
    expect(others.map(({ name }) => name)).toEqual(Object.keys(theirs));
    expect(Object.keys(installed.pairs)).toHaveLength(installed.leftOut === undefined ? 2 : 0);
    expect(rounds).toBeGreaterThanOrEqual(3); // the warm-up is one
    for (const { perSecond: rate, ratio } of others) {
      expect(rate.min).toBeGreaterThan(0);
      expect(ratio.median).toBeGreaterThan(0);
    }
    expect(perSecond['session lock'].median).toBeGreaterThan(0);
  }, 60_000);
});

it('where the packages of others are not installed, the table says what installs them', async () => {
  const empty = mkdtempSync(path.join(tmpdir(), 'holdfast-no-peers-'));
  try {
    const { pairs, leftOut } = await openAdvisoryLock('postgres://127.0.0.1:1/none', empty);
    expect(pairs).toEqual({});
    expect(leftOut).toContain('npm ci --prefix peers');
  } finally {
    rmSync(empty, { recursive: true });
  }
});
