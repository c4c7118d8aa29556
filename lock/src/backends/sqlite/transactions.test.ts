import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Database, Opener } from './client.ts';
import { sqliteBackend } from './index.ts';
import { newFolder, open, requestFor, soon } from './test-support/folders.ts';

/** Counts the transactions on the tables. */
function counting(): { readonly opener: Opener; readonly begun: () => number } {
  let count = 0;
  const opener: Opener = (file) => {
    const database = open(file);
    if (path(file) !== 'locks.db') return database;
    const counted: Database = {
      exec: (sql) => {
        if (sql.startsWith('BEGIN')) count++;
        return database.exec(sql);
      },
      prepare: (sql) => {
        const statement = database.prepare(sql);
        if (!sql.startsWith('BEGIN')) return statement;
        return {
          run: () => {
            count++;
            return statement.run();
          },
          get: (...values) => statement.get(...values),
          all: (...values) => statement.all(...values),
        };
      },
      close: () => database.close(),
    };
    return counted;
  };
  return { opener, begun: () => count };
}

function path(file: string): string | undefined {
  return file.split('/').at(-1);
}

it('after a grant a process is at rest, so that stopping it does not stop it in the middle of a step', async () => {
  const { opener, begun } = counting();
  const backend = sqliteBackend(opener, { directory: newFolder() });
  await backend.tryAcquire(requestFor('x'), soon());
  const before = begun();
  expect(before).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(begun()).toBe(before);
  await backend.close();
});

it('files that are removed while they are opened are made anew', async () => {
  const directory = newFolder();
  let removals = 0;
  const opener: Opener = (file) => {
    if (removals++ < 3) rmSync(directory, { recursive: true });
    return open(file);
  };
  const backend = sqliteBackend(opener, { directory });
  expect(await backend.tryAcquire(requestFor('x'), soon())).toMatchObject({ outcome: 'granted' });
  await backend.close();
});

it('requests of one turn of the event loop share a transaction', async () => {
  const { opener, begun } = counting();
  const backend = sqliteBackend(opener, { directory: newFolder() });
  await backend.tryAcquire(requestFor('first'), soon());
  const before = begun();
  const requests = Array.from({ length: 20 }, (_, index) => requestFor(`x${index}`));
  const answers = await Promise.all(requests.map((request) => backend.tryAcquire(request, soon())));
  expect(answers.every(({ outcome }) => outcome === 'granted')).toBe(true);
  expect(begun() - before).toBeLessThan(10); // one, or a few where a slow machine makes one take too long
  await backend.close();
});
