import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { isRunningLow, RESERVE_US, raiseFloor, readFloor, reservation } from './floor.ts';
import { type SqliteBackend, sqliteBackend } from './index.ts';
import { newBackend, newFolder, open, requestFor, soon } from './test-support/folders.ts';

const BOOTS = ['1', '2', '3', '4'].map((digit) => `${digit.repeat(8)}-0000-0000-0000-000000000000`);

async function tokenOf(backend: SqliteBackend, name = 'x'): Promise<bigint> {
  const request = requestFor(name);
  const granted = await backend.tryAcquire(request, soon());
  await backend.release(request, soon());
  return granted.outcome === 'granted' ? (granted.fencingToken ?? 0n) : 0n;
}

function floorOf(directory: string): bigint {
  return readFloor(path.join(directory, 'floor'));
}

it('the floor is the largest that was ever raised, in whatever order, and lower ones are tidied away', async () => {
  const folder = newFolder();
  expect(readFloor(folder)).toBe(0n);
  await Promise.all([500n, 100n, 900n, 300n].map((floor) => raiseFloor(folder, floor)));
  expect(readFloor(folder)).toBe(900n);
  await raiseFloor(folder, 200n);
  await raiseFloor(folder, 900n);
  expect(readFloor(folder)).toBe(900n);
  await raiseFloor(folder, 2n ** 62n);
  expect(readFloor(folder)).toBe(2n ** 62n);
  expect(readdirSync(folder)).toHaveLength(1);
});

it('reservations run an hour ahead of the clock, or a million grants where tokens are ahead of it', () => {
  expect(reservation(1_000n, 2_000n)).toBe(2_000n + RESERVE_US);
  expect(reservation(10n * RESERVE_US, 2_000n)).toBe(10n * RESERVE_US + 1_000_000n);
  expect(isRunningLow(2_000n + RESERVE_US, 1_000n, 2_000n)).toBe(false);
  expect(isRunningLow(2_000n + RESERVE_US / 3n, 1_000n, 2_000n)).toBe(true);
  expect(isRunningLow(10n * RESERVE_US, 10n * RESERVE_US - 5n, 2_000n)).toBe(true);
});

it('no token is above the floor on disk, and each is above the last', async () => {
  const directory = newFolder();
  const [one, two] = [newBackend({ directory }), newBackend({ directory })];
  let last = 0n;
  for (let round = 0; round < 200; round++) {
    const token = await tokenOf(round % 2 === 0 ? one : two, `x${round % 3}`);
    expect(token).toBeGreaterThan(last);
    expect(token).toBeLessThanOrEqual(floorOf(directory));
    last = token;
  }
});

it('tokens do not go back over reboots with the clock set back, nor when the tables are removed', async () => {
  const directory = newFolder();
  const realMs = Date.now();
  let last = 0n;
  const clockBackMs = [0, 3_600_000, 10 * 365 * 86_400_000, realMs]; //  an hour, ten years, to 1970
  for (const [index, bootId] of BOOTS.entries()) {
    const now = vi.spyOn(Date, 'now').mockImplementation(() => realMs - (clockBackMs[index] ?? 0));
    try {
      const backend = sqliteBackend(open, { directory, bootId });
      for (let grant = 0; grant < 3; grant++) {
        const token = await tokenOf(backend);
        expect(token).toBeGreaterThan(last);
        last = token;
      }
      rmSync(path.join(directory, `boot-${bootId}`), { recursive: true });
      const token = await tokenOf(backend);
      expect(token).toBeGreaterThan(last);
      last = token;
      await backend.close();
    } finally {
      now.mockRestore();
    }
  }
  expect(readdirSync(directory).filter((name) => name.startsWith('boot-'))).toHaveLength(1);
});

it('a clock set forward and back again leaves tokens in order', async () => {
  const backend = newBackend({ directory: newFolder() });
  const realMs = Date.now();
  const tokens: bigint[] = [];
  for (const offsetMs of [0, 86_400_000, -86_400_000, 5 * 86_400_000, 0]) {
    const now = vi.spyOn(Date, 'now').mockImplementation(() => realMs + offsetMs);
    tokens.push(await tokenOf(backend), await tokenOf(backend));
    now.mockRestore();
  }
  expect(tokens).toEqual([...tokens].sort((a, b) => (a < b ? -1 : 1)));
  expect(new Set(tokens).size).toBe(tokens.length);
});

it('the damaged tables of an earlier boot do not matter', async () => {
  const directory = newFolder();
  const [first = '', second = ''] = BOOTS;
  const before = sqliteBackend(open, { directory, bootId: first });
  const token = await tokenOf(before);
  await before.close();
  // What a power cut may leave of a file that was written without flushing.
  writeFileSync(path.join(directory, `boot-${first}`, 'locks.db'), Buffer.alloc(12_345, 7));
  expect(await tokenOf(newBackend({ directory, bootId: second }))).toBeGreaterThan(token);
});

it('without a reservation on disk no token is given out, and the error says why', async () => {
  const directory = newFolder();
  const backend = newBackend({ directory });
  const token = await tokenOf(backend);
  const [floor, aside] = [path.join(directory, 'floor'), path.join(directory, 'aside')];
  renameSync(floor, aside);
  writeFileSync(floor, 'not a folder', { mode: 0o600 });
  const realMs = Date.now();
  const now = vi.spyOn(Date, 'now').mockImplementation(() => realMs + 3 * 3_600_000); // above what is reserved
  try {
    const refused = backend.tryAcquire(requestFor('x'), soon());
    await expect(refused).rejects.toMatchObject({ code: 'CONFIG', message: /floor is not a folder/ });
    rmSync(floor);
    expect(await tokenOf(backend)).toBeGreaterThan(token); // a folder that is missing is made
    expect(floorOf(directory)).toBeGreaterThan(token);
  } finally {
    now.mockRestore();
  }
});
