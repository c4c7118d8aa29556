import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isBusy, toLockError } from './failures.ts';
import { sqliteBackend } from './index.ts';
import { newBackend, newFolder, newProcess, open, requestFor, soon } from './test-support/folders.ts';
import { afterScript, hasNamespaces } from './test-support/namespaces.ts';

/** A process that holds a lock, listens to nothing, and says at its end what it saw. */
async function holdThrough(
  directory: string,
  fault: () => void,
): Promise<{ status: number; seen: Holder; errors: string }> {
  const program = fileURLToPath(new URL('test-support/holder.mjs', import.meta.url));
  const child = spawn(process.execPath, ['--unhandled-rejections=strict', program, directory], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const errors: string[] = [];
  child.stderr.on('data', (text) => errors.push(String(text)));
  child.stdout.on('data', (text) => output.push(String(text)));
  await once(child.stdout, 'data'); // it holds
  fault();
  const [status] = await once(child, 'exit');
  return { status, seen: JSON.parse(output.join('').split('\n')[1] ?? '{}'), errors: errors.join('') };
}

/** Removes a folder at one go: its owner may be making files in it at this moment. */
function remove(folder: string): void {
  const aside = `${folder}-aside`;
  renameSync(folder, aside);
  rmSync(aside, { recursive: true });
}

interface Holder {
  readonly losses: readonly { readonly reason: string; readonly afterMs: number }[];
  readonly state: string;
  readonly next: string;
}

describe('under a living holder', () => {
  it('a directory that is removed costs the lease, once, and nothing else', async () => {
    const directory = path.join(newFolder(), 'locks');
    const { status, seen, errors } = await holdThrough(directory, () => remove(directory));
    expect(errors).toBe('');
    expect(status).toBe(0);
    expect(seen.losses).toHaveLength(1);
    expect(seen.losses[0]?.reason).toBe('taken');
    expect(seen.losses[0]?.afterMs).toBeLessThan(1_500); // its TTL
    expect(seen.next).toBe('granted');
  });

  it('tables that are removed alone cost the lease, and nobody gets another until their folder is gone as well', async () => {
    const directory = newFolder();
    const boots = () => readdirSync(directory).filter((name) => name.startsWith('boot-'));
    const { status, seen, errors } = await holdThrough(directory, () => {
      for (const boot of boots()) rmSync(path.join(directory, boot, 'locks.db'));
    });
    expect(errors).toBe('');
    expect(status).toBe(0);
    expect(seen.losses).toHaveLength(1);
    expect(seen.losses[0]?.afterMs).toBeLessThan(1_500);
    expect(seen.next).toBe('CONFIG');
    for (const boot of boots()) rmSync(path.join(directory, boot), { recursive: true });
    expect((await newBackend({ directory }).tryAcquire(requestFor('x'), soon())).outcome).toBe('granted');
  });

  it('a directory that is removed and cannot be made again is a loss by the holder’s own clock', async () => {
    const place = newFolder();
    const directory = path.join(place, 'locks');
    const { status, seen, errors } = await holdThrough(directory, () => {
      // Not even root can make a folder in a file. It takes its place at one go, before the folder is made again.
      writeFileSync(`${place}-file`, '');
      renameSync(place, `${place}-aside`);
      renameSync(`${place}-file`, place);
      rmSync(`${place}-aside`, { recursive: true });
    });
    expect(errors).toBe('');
    expect(status).toBe(0);
    expect(seen.losses).toHaveLength(1);
    expect(seen.losses[0]?.reason).toBe('expired');
    expect(seen.next).toBe('CONFIG');
  });
});

it('waiters go on when the files are removed, and one of them has the lock', async () => {
  const directory = newFolder();
  const [one, two] = [await newProcess({ directory }), newBackend({ directory })];
  const holder = requestFor('x', { ttlMs: 600_000 });
  await two.tryAcquire(holder, soon());
  const acquired = one.acquire(requestFor('x', { ttlMs: 600_000 }));
  await expect.poll(async () => (await two.inspect('x', soon())).waiters.length).toBe(1);
  for (const name of readdirSync(directory)) remove(path.join(directory, name));
  expect(await two.renew([holder], soon())).toEqual(['lost']);
  expect(await acquired).toMatchObject({ gone: true }); // its place is gone with the files; the core enters anew
  expect((await one.call('tryAcquire', requestFor('x'))) as object).toMatchObject({ outcome: 'granted' });
});

describe.runIf(hasNamespaces)('a disk', () => {
  it('that is full is an error that says so, and works again when there is room', async () => {
    const directory = newFolder();
    const mounted = afterScript(`mount -t tmpfs -o size=400k,mode=700 none ${directory}`);
    const other = await newProcess({ directory, ...mounted });
    expect(await other.call('tryAcquire', requestFor('first'))).toMatchObject({ outcome: 'granted' });
    await other.send('fill', path.join(directory, 'ballast'));
    let granted = 1;
    const refusals: { code?: string; message?: string }[] = [];
    for (let index = 0; index < 200 && refusals.length === 0; index++) {
      const request = requestFor(`${index}-${'x'.repeat(400)}`);
      await other.call('tryAcquire', request).then(
        () => granted++,
        (error) => refusals.push(error),
      );
    }
    expect(refusals[0]).toMatchObject({ code: 'UNAVAILABLE', message: /full/ });
    expect(await other.call<object[]>('list')).toHaveLength(granted);
    expect(await other.call('inspect', 'first')).toMatchObject({ holder: { pid: expect.any(Number) } });
    await other.send('remove', path.join(directory, 'ballast'));
    expect(await other.call('tryAcquire', requestFor('last'))).toMatchObject({ outcome: 'granted' });
  });

  it('that is read-only is an error that says so', async () => {
    const directory = newFolder();
    const mounted = afterScript(`mount --bind ${directory} ${directory} && mount -o remount,ro,bind ${directory}`);
    const other = await newProcess({ directory, ...mounted });
    await expect(other.call('tryAcquire', requestFor('x'))).rejects.toMatchObject({ code: 'CONFIG' });
  });
});

describe('an opener', () => {
  it('that gives no database, or cannot, is named', async () => {
    const directory = newFolder();
    for (const bad of [() => undefined, () => Promise.resolve(), () => ({ exec: () => undefined })]) {
      const backend = sqliteBackend(bad as never, { directory });
      await expect(backend.tryAcquire(requestFor('x'), soon())).rejects.toMatchObject({
        code: 'CONFIG',
        message: /opener/,
      });
    }
    const failing = sqliteBackend(
      () => {
        throw new Error('no such library');
      },
      { directory },
    );
    await expect(failing.tryAcquire(requestFor('x'), soon())).rejects.toMatchObject({
      code: 'CONFIG',
      message: /no such library/,
    });
  });

  it('whose rows are lists is told so', async () => {
    const lists = (file: string): ReturnType<typeof open> => {
      const database = open(file);
      const prepare: typeof database.prepare = (sql) => {
        const statement = database.prepare(sql);
        const all: typeof statement.all = (...values) =>
          statement.all(...values).map((row) => Object.values(row as object));
        return { run: (...values) => statement.run(...values), get: (...values) => all(...values)[0], all };
      };
      return { exec: (sql) => database.exec(sql), prepare, close: () => database.close() };
    };
    const backend = sqliteBackend(lists, { directory: newFolder() });
    await expect(backend.tryAcquire(requestFor('x'), soon())).rejects.toMatchObject({
      code: 'CONFIG',
      message: /returnArrays/,
    });
  });

  it('that switches write-ahead logging on is refused', async () => {
    const wal = sqliteBackend(
      (file) => {
        const database = open(file);
        database.exec('PRAGMA journal_mode = WAL');
        return database;
      },
      { directory: newFolder() },
    );
    await expect(wal.tryAcquire(requestFor('x'), soon())).rejects.toMatchObject({
      code: 'CONFIG',
      message: /journal_mode/,
    });
  });
});

describe('an error of SQLite', () => {
  it('is understood as node:sqlite, better-sqlite3 and libsql write it', () => {
    expect(isBusy({ code: 'ERR_SQLITE_ERROR', errcode: 5 })).toBe(true);
    expect(isBusy({ code: 'SQLITE_BUSY_SNAPSHOT' })).toBe(true);
    expect(isBusy({ code: 'SQLITE_BUSY', rawCode: 261 })).toBe(true);
    expect(isBusy({ code: 'ERR_SQLITE_ERROR', errcode: 19 })).toBe(false);
    expect(isBusy(new Error('database is locked'))).toBe(false);
    const codeOf = (error: object) => toLockError(error, 'A lock step', '/state', 'x').code;
    expect(codeOf({ code: 'ERR_SQLITE_ERROR', errcode: 13 })).toBe('UNAVAILABLE');
    expect(codeOf({ code: 'SQLITE_CORRUPT' })).toBe('CONFIG');
    expect(codeOf({ code: 'SQLITE_NOTADB', rawCode: 26 })).toBe('CONFIG');
    expect(codeOf(Object.assign(new Error(), { code: 'ENOSPC' }))).toBe('UNAVAILABLE');
    expect(codeOf(Object.assign(new Error(), { code: 'EROFS' }))).toBe('CONFIG');
    expect(codeOf(new Error('ConnectionFailed("Unable to open connection to local database /x: 14")'))).toBe(
      'UNAVAILABLE',
    );
  });
});
