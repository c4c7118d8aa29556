import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqliteBackend } from './index.ts';
import { defaultDirectory, sharedFileSystem } from './private-files.ts';
import { newBackend, newFolder, open, requestFor, soon } from './test-support/folders.ts';

const BOOT = '00000000-1111-2222-3333-444444444444';

/** Takes a lock, and gives the code of the error if there is one. */
async function codeOfUse(directory: string): Promise<string> {
  const backend = newBackend({ directory, bootId: BOOT });
  try {
    return (await backend.tryAcquire(requestFor('x'), soon())).outcome;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** A folder that was in use, with a file of somebody else beside it. */
async function usedFolder(): Promise<{ directory: string; boot: string; victim: string; untouched: () => void }> {
  const place = newFolder();
  const directory = path.join(place, 'locks');
  const backend = sqliteBackend(open, { directory, bootId: BOOT });
  await backend.tryAcquire(requestFor('x'), soon());
  await backend.close();
  const victim = path.join(place, 'victim');
  writeFileSync(victim, 'keep', { mode: 0o644 });
  const before = facts(victim);
  return {
    directory,
    boot: path.join(directory, `boot-${BOOT}`),
    victim,
    untouched: () => expect(facts(victim)).toEqual(before),
  };
}

function facts(file: string): unknown[] {
  const { mode, mtimeMs, ctimeMs, size, ino } = lstatSync(file);
  // Making and removing a hard link changes the ctime by itself; content, mode and times of change must stay.
  return [readFileSync(file, 'utf8'), mode, mtimeMs, size, ino, ctimeMs > 0];
}

describe('what is made', () => {
  it('is a folder with mode 0700, and in it files with mode 0600, whatever the umask', async () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const directory = path.join(newFolder(), 'a', 'b');
    expect(await codeOfUse(directory)).toBe('granted');
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    expect(entries.length).toBeGreaterThan(5);
    for (const entry of entries) {
      const { mode } = lstatSync(path.join(entry.parentPath, entry.name));
      expect([entry.name, mode & 0o777]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600]);
    }
    expect(lstatSync(directory).mode & 0o777).toBe(0o700);
  });

  it('is inside the directory, whatever a lock is called', async () => {
    const place = newFolder();
    const directory = path.join(place, 'locks');
    const backend = newBackend({ directory });
    for (const name of ['../../x', '/etc/x', 'a/b', '.', '..', 'x'.repeat(300), "'; DROP TABLE lease; --"]) {
      const request = requestFor(name);
      expect((await backend.tryAcquire(request, soon())).outcome).toBe('granted');
      expect((await backend.inspect(name, soon())).holder?.owner).toBe(request.owner);
    }
    expect(readdirSync(place)).toEqual(['locks']);
    expect(readdirSync(directory).every((name) => name === 'floor' || name.startsWith('boot-'))).toBe(true);
  });

  it('stands in $XDG_STATE_HOME, or in ~/.local/state', () => {
    const { XDG_STATE_HOME: before } = process.env;
    onTestFinished(() => {
      if (before === undefined) delete process.env.XDG_STATE_HOME;
      else process.env.XDG_STATE_HOME = before;
    });
    process.env.XDG_STATE_HOME = '/some/state';
    expect(defaultDirectory()).toBe('/some/state/holdfast');
    process.env.XDG_STATE_HOME = 'relative';
    expect(defaultDirectory()).toMatch(/\/\.local\/state\/holdfast$/);
    delete process.env.XDG_STATE_HOME;
    expect(defaultDirectory()).toMatch(/\/\.local\/state\/holdfast$/);
  });
});

describe('a directory', () => {
  it('is refused if others can enter it', async () => {
    const directory = newFolder();
    chmodSync(directory, 0o1777);
    expect(await codeOfUse(directory)).toBe('CONFIG');
    chmodSync(directory, 0o750);
    expect(await codeOfUse(directory)).toBe('CONFIG');
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is refused if it is a link, and what the link leads to stays empty', async () => {
    const [place, target] = [newFolder(), newFolder()];
    const directory = path.join(place, 'locks');
    symlinkSync(target, directory);
    expect(await codeOfUse(directory)).toBe('CONFIG');
    expect(await codeOfUse(`${directory}/`)).toBe('CONFIG');
    expect(readdirSync(target)).toEqual([]);
  });

  it('is refused if it is a file', async () => {
    const directory = path.join(newFolder(), 'file');
    writeFileSync(directory, 'keep');
    expect(await codeOfUse(directory)).toBe('CONFIG');
    expect(readFileSync(directory, 'utf8')).toBe('keep');
  });

  it.runIf(process.getuid?.() === 0)('is refused if it belongs to another user', async () => {
    const directory = newFolder();
    chownSync(directory, 65_534, 65_534);
    expect(await codeOfUse(directory)).toBe('CONFIG');
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('what somebody has planted', () => {
  const planted: readonly [what: string, plant: (file: string, victim: string) => void][] = [
    ['a link to another file', (file, victim) => symlinkSync(victim, file)],
    ['a link to nowhere', (file, victim) => symlinkSync(`${victim}-not`, file)],
    ['a hard link to another file', (file, victim) => linkSync(victim, file)],
    ['a file that others can write', (file) => writeFileSync(file, '', { mode: 0o666 })],
  ];
  for (const [what, plant] of planted) {
    for (const name of ['locks.db', 'locks.db-journal']) {
      it(`in place of ${name} is refused: ${what}`, async () => {
        const { directory, boot, victim, untouched } = await usedFolder();
        const file = path.join(boot, name);
        rmSync(file, { force: true });
        const before = process.umask(0);
        plant(file, victim);
        process.umask(before);
        expect(await codeOfUse(directory)).toBe('CONFIG');
        untouched();
        expect(readdirSync(path.dirname(victim)).sort()).toEqual(['locks', 'victim']);
      });
    }
  }

  it('in place of the folders is refused', async () => {
    for (const name of [`boot-${BOOT}`, `boot-${BOOT}/alive`, `boot-${BOOT}/wake`, 'floor']) {
      const { directory } = await usedFolder();
      const elsewhere = newFolder();
      rmSync(path.join(directory, name), { recursive: true });
      symlinkSync(elsewhere, path.join(directory, name));
      expect([name, await codeOfUse(directory)]).toEqual([name, 'CONFIG']);
      expect(readdirSync(elsewhere)).toEqual([]);
    }
  });

  it('among the wake files is not followed', async () => {
    const { directory, boot, victim, untouched } = await usedFolder();
    const [one, two] = [newBackend({ directory, bootId: BOOT }), newBackend({ directory, bootId: BOOT })];
    const [holder, waiter] = [requestFor('w'), requestFor('w')];
    await one.tryAcquire(holder, soon());
    expect((await two.queue('enter', waiter, soon())).outcome).toBe('waiting');
    for (const name of readdirSync(path.join(boot, 'wake'))) {
      const file = path.join(boot, 'wake', name);
      rmSync(file);
      symlinkSync(victim, file);
    }
    await one.release(holder, soon());
    expect((await two.queue('stay', waiter, soon())).outcome).toBe('granted');
    untouched();
  });

  it('as an instance id in the tables leads to no file', async () => {
    const { directory, boot, victim, untouched } = await usedFolder();
    const id = path.relative(path.join(boot, 'alive'), victim);
    const database = open(path.join(boot, 'locks.db'));
    const { dev, ino } = lstatSync(victim, { bigint: true });
    database.prepare('INSERT INTO instance VALUES (?, ?, ?, ?)').run(id, `${dev}:${ino}`, 'here', 1);
    const end = Number(process.hrtime.bigint()) / 1e6 + 60_000;
    database.prepare('INSERT INTO lease VALUES (?, ?, ?, 1, 1000, ?, 1, NULL, 0)').run(id, 'o', id, end);
    database.close();
    const backend = newBackend({ directory, bootId: BOOT });
    expect((await backend.tryAcquire(requestFor(id), soon())).outcome).toBe('busy');
    await backend.breakLock(id, soon());
    untouched();
  });
});

describe('file systems', () => {
  it('that machines share are known by their numbers', () => {
    const names = [0x6969, 0xff534d42, 0x01021997, 0x65735546].map((type) => sharedFileSystem(type));
    expect(names).toEqual(['NFS', 'CIFS', '9p', 'FUSE']);
    expect(sharedFileSystem(0xff534d42 | 0)).toBe('CIFS'); // the same number, read as a signed one
    for (const local of [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630]) {
      expect(sharedFileSystem(local)).toBeUndefined();
    }
  });

  it.runIf(process.platform === 'linux')('that a reboot empties are told from those that it does not', () => {
    const { stdout } = spawnSync('stat', ['-f', '-c', '%T', '/dev/shm', tmpdir()], { encoding: 'utf8' });
    const [memory, ordinary] = stdout.trim().split('\n');
    const expected = (type: string | undefined) =>
      type === 'tmpfs' ? 'counter-and-server-clock' : 'counter-and-durable-floor';
    expect(sqliteBackend(open, { directory: '/dev/shm/holdfast/deep' }).guarantee.fencing).toBe(expected(memory));
    const directory = path.join(newFolder(), 'not', 'there');
    expect(sqliteBackend(open, { directory }).guarantee.fencing).toBe(expected(ordinary));
    mkdirSync(directory, { recursive: true });
    expect(sqliteBackend(open, { directory }).guarantee.fencing).toBe(expected(ordinary));
  });
});
