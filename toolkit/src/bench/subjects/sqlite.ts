import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { sqliteBackend } from 'holdfast/sqlite';
import { opener } from '../../connect/sqlite.ts';
import { keptByHand, type LockByHand } from '../held-subjects.ts';
import { ofBackend } from './ours.ts';
import { type SubjectKind, TTL_MS } from './subject.ts';

/** A row with an owner and an expiry in a file of its own, through the same SQLite. Nothing there tells a waiter. */
export const sqlite: SubjectKind = {
  ours: async ({ url, ttlMs }) => ofBackend(sqliteBackend(await opener(), { directory: folderOf(url) }), ttlMs),
  async raw({ url, ttlMs }) {
    const folder = `${folderOf(url)}-by-hand`;
    mkdirSync(folder, { recursive: true });
    const database = (await opener())(path.join(folder, `${process.pid}.db`));
    // As our own file is written: without flushing, since no lock outlives the machine.
    database.exec('PRAGMA journal_mode = PERSIST');
    database.exec('PRAGMA synchronous = OFF');
    database.exec('CREATE TABLE locks (name TEXT PRIMARY KEY, owner TEXT, ends_at REAL)');
    const take = database.prepare(
      `INSERT INTO locks VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET owner = excluded.owner,
       ends_at = excluded.ends_at WHERE owner IS NULL OR ends_at < ? RETURNING owner`,
    );
    const extend = database.prepare('UPDATE locks SET ends_at = ? WHERE name = ? AND owner = ?');
    const free = database.prepare('UPDATE locks SET owner = NULL WHERE name = ? AND owner = ?');
    const byHand = (forMs: number): LockByHand<string> => ({
      async acquire(name) {
        const now = performance.now();
        if (take.get(name, 'me', now + forMs, now) === undefined) throw new Error(`The row ${name} is taken.`);
        return 'me';
      },
      extend: async (name, owner) => extend.run(performance.now() + forMs, name, owner),
      release: async (name, owner) => free.run(name, owner),
    });
    const [pairs, held] = [byHand(TTL_MS), byHand(ttlMs)];
    return {
      pair: async (index) => pairs.release(`pair:${index}`, await pairs.acquire(`pair:${index}`)),
      hold: (index) => keptByHand(held, `held:${index}`, ttlMs / 3),
    };
  },
};

/** Of a URL such as `sqlite:///var/lib/jobs`. */
function folderOf(url: string): string {
  return new URL(url).pathname;
}
