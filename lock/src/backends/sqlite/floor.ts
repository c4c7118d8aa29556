/**
 * The floor: a number on disk that no fencing token of this directory has ever exceeded, whatever happened to the
 * locks themselves. Tokens are given out only below it, and each new boot starts above it.
 *
 * It is kept as the name of an empty file, in a folder of its own: reserving more makes a file with a larger name and
 * flushes the folder to disk, and only then are tokens given out up to there. The floor is the largest name that is
 * there. So two processes that reserve at once cannot lower it, a torn write does not exist, and who dies in between
 * has at worst reserved too much.
 *
 * @module
 */
import { constants, readdirSync } from 'node:fs';
import { type FileHandle, open, readdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { ensurePrivateFolder } from './private-files.ts';

/** How far ahead tokens are reserved, in microseconds of wall clock: one flush an hour, for the whole machine. */
export const RESERVE_US = 3_600_000_000n;

/** The same where tokens run ahead of the wall clock, since it was set back: counted in grants. */
const RESERVE_GRANTS = 1_000_000n;

const NAME = /^\d{19}$/;

/** Thrown inside a transaction to undo it: a token is needed that the floor on disk does not cover yet. */
export class ReservationNeeded extends Error {
  readonly token: bigint;

  constructor(token: bigint) {
    super('more tokens must be reserved');
    this.token = token;
  }
}

/** The floor of a folder; 0 in an empty one. */
export function readFloor(folder: string): bigint {
  return largest(readdirSync(folder));
}

/** Up to where to reserve when `token` is the next one to be given out. */
export function reservation(token: bigint, wallUs: bigint): bigint {
  const [byClock, byCount] = [wallUs + RESERVE_US, token + RESERVE_GRANTS];
  return byClock > byCount ? byClock : byCount;
}

/** Whether it is time to reserve more, before anybody has to wait for it. */
export function isRunningLow(reserved: bigint, token: bigint, wallUs: bigint): boolean {
  return reserved < wallUs + RESERVE_US / 2n || reserved < token + RESERVE_GRANTS / 2n;
}

/** Raises the floor, and resolves when no power cut can lower it again. */
export async function raiseFloor(folder: string, floor: bigint): Promise<void> {
  ensurePrivateFolder(folder);
  const name = String(floor).padStart(19, '0');
  const flags = constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;
  await synced(await open(path.join(folder, name), flags, 0o600));
  await synced(await open(folder, constants.O_RDONLY | constants.O_DIRECTORY));
  // Lower ones say nothing any more. Who deletes one that is gone already has lost nothing.
  const lower = (await readdir(folder)).filter((other) => NAME.test(other) && other < name);
  await Promise.all(lower.map((other) => unlink(path.join(folder, other)).catch(() => undefined)));
}

async function synced(file: FileHandle): Promise<void> {
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function largest(names: readonly string[]): bigint {
  return names
    .filter((name) => NAME.test(name))
    .reduce((most, name) => (BigInt(name) > most ? BigInt(name) : most), 0n);
}
