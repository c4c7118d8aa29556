import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BackendUnderTest, describeBackend } from '../../contract/index.ts';
import { sqliteBackend } from './index.ts';
import { loadEngine } from './test-support/engine.mjs';

const noServer = 'there is no server, and no network: it is a file';

describeBackend({ afterAll, beforeAll, describe, it }, 'sqlite', {
  start: async (): Promise<BackendUnderTest> => {
    const { open } = await loadEngine();
    const directory = mkdtempSync(path.join(tmpdir(), 'holdfast-contract-'));
    const rows = (): string[] => {
      const [boot = ''] = readdirSync(directory).filter((name) => name.startsWith('boot-'));
      const database = open(path.join(directory, boot, 'locks.db'));
      try {
        // The counter stays, and so do refused owner ids, for ten minutes; instances come and go with backend objects.
        return ['lease', 'waiter', 'broken'].flatMap((table) =>
          database
            .prepare(`SELECT * FROM ${table}`)
            .all()
            .map((row) => `${table} ${JSON.stringify(row)}`),
        );
      } finally {
        database.close();
      }
    };
    return {
      create: () => sqliteBackend(open, { directory }),
      worker: { module: new URL('./test-support/worker.mjs', import.meta.url), data: { directory } },
      residue: async () => rows(),
      stop: async () => rmSync(directory, { recursive: true, force: true }),
    };
  },
  doesNotApply: {
    'a black hole: the lease is lost by its own clock before the next one is granted, and does not come back': noServer,
    'a cut connection that comes back costs no lease': noServer,
    'a waiter whose connection is cut still gets the lock': noServer,
    'a slow link works, and its delay is taken off the lease': noServer,
    'an acquire whose reply was lost ends with the lock or without it, and never with an orphan': noServer,
    'a try whose reply was lost leaves the lock free before its TTL': noServer,
    'a release whose reply was lost counts as done': noServer,
    'a server that is stopped for a moment while renewals are due costs no lease': noServer,
    'a release while there is no connection is done once there is one again, long before the TTL': noServer,
    'a server that is stopped for longer than the TTL: the holder knows before anybody else can have the lock':
      noServer,
    'a server that restarts: a waiter goes on, and no two hold at once': noServer,
  },
});
