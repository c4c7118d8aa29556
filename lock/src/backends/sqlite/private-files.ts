/**
 * Folders and files that only this user can reach. Everything that the backend keeps is inside one private folder,
 * so a stranger can neither plant nor change anything; what is found there all the same is refused, not repaired.
 *
 * Nothing here opens a file that exists: closing a descriptor of a file drops the POSIX locks that this process has on
 * it, SQLite's included.
 *
 * @module
 */
import { closeSync, constants, fsyncSync, lstatSync, mkdirSync, openSync, type Stats, statfsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { LockError } from '../../core/errors.ts';

/** `$XDG_STATE_HOME/holdfast`, or `~/.local/state/holdfast`: private to the user, and swept by no cleaner. */
export function defaultDirectory(): string {
  const stateHome = process.env.XDG_STATE_HOME;
  // The specification says that a relative path there is to be ignored.
  if (stateHome !== undefined && path.isAbsolute(stateHome)) return path.join(stateHome, 'holdfast');
  return path.join(homedir(), '.local', 'state', 'holdfast');
}

/** Makes the folder if it is missing, durably and with mode 0700; otherwise checks that it is private. */
export function ensurePrivateFolder(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) makeFolder(folder);
  checkPrivateFolder(folder);
}

/** With its parents, each flushed to disk. Not by `recursive`, which gives ENOENT on a disk that is read-only. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'EEXIST') return; // another process was first
    if (code !== 'ENOENT' || folder === path.dirname(folder)) throw error;
    makeFolder(path.dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
  }
  syncFolder(path.dirname(folder));
}

function checkPrivateFolder(folder: string): void {
  const stat = lstatSync(folder);
  if (stat.isSymbolicLink()) refuse(folder, 'is a symbolic link', 'Name the folder itself.');
  if (!stat.isDirectory()) refuse(folder, 'is not a folder', 'Remove it, or choose another directory.');
  checkOwner(folder, stat);
  if ((stat.mode & 0o077) !== 0) {
    refuse(folder, `can be entered by others (mode ${mode(stat)})`, `chmod 700 ${folder}`);
  }
}

/** Checks a file that SQLite is about to open; a missing one is fine only where `optional` says so. */
export function checkPrivateFile(file: string, { optional = false }: { optional?: boolean } = {}): void {
  const stat = lstatSync(file, { throwIfNoEntry: !optional });
  if (stat === undefined) return;
  if (stat.isSymbolicLink()) refuse(file, 'is a symbolic link', 'Somebody has put it there: remove it.');
  if (!stat.isFile()) refuse(file, 'is not an ordinary file', 'Somebody has put it there: remove it.');
  if (stat.nlink !== 1) refuse(file, `has ${stat.nlink} hard links`, 'Somebody has put it there: remove it.');
  checkOwner(file, stat);
  if ((stat.mode & 0o077) !== 0) refuse(file, `is open to others (mode ${mode(stat)})`, `chmod 600 ${file}`);
}

/** Makes a new file with mode 0600; fails if there is anything by that name, be it a link to nowhere. */
export function createPrivateFile(file: string): void {
  closeSync(openSync(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600));
}

/** Which file a path leads to now, as text that never rounds; undefined if there is none, or no ordinary one. */
export function inodeOf(file: string): string | undefined {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stat?.isFile() ? `${stat.dev}:${stat.ino}` : undefined;
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** File systems on which a lock taken on one machine is not, or not surely, seen on another; numbers of Linux. */
const SHARED_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
  [0x00c36400, 'Ceph'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x786f4256, 'a VirtualBox shared folder'],
  [0xbacbacbc, 'a VMware shared folder'],
]);

/** File systems that a reboot empties. */
const VOLATILE_FILE_SYSTEMS: readonly number[] = [0x01021994, 0x858458f6];

/** The name of a file system that other machines may share, by the number that statfs gives for it on Linux. */
export function sharedFileSystem(type: number): string | undefined {
  // Some of the numbers are above 2^31, and come back negative on some systems.
  return SHARED_FILE_SYSTEMS.get(type >>> 0);
}

/** Refuses a folder that other machines may share. Only Linux tells. */
export function checkLocalFileSystem(folder: string): void {
  if (process.platform !== 'linux') return;
  const name = sharedFileSystem(statfsSync(folder).type);
  if (name === undefined) return;
  throw new LockError(
    'CONFIG',
    `${folder} is on ${name}, which may not keep file locks or may be shared with other machines. The sqlite backend ` +
      'is for the processes of one machine: name a directory on a local disk, or use another backend.',
  );
}

/** Whether a reboot empties the place where this folder is, or would be. */
export function isVolatile(folder: string): boolean {
  if (process.platform !== 'linux') return false;
  for (let place = folder; ; place = path.dirname(place)) {
    try {
      return VOLATILE_FILE_SYSTEMS.includes(statfsSync(place).type >>> 0);
    } catch {
      if (place === path.dirname(place)) return false;
    }
  }
}

function checkOwner(file: string, stat: Stats): void {
  const user = process.geteuid?.();
  if (user !== undefined && stat.uid !== user) {
    refuse(file, `belongs to user ${stat.uid}, and this process is user ${user}`, 'Use a directory of its own.');
  }
}

function mode(stat: Stats): string {
  return (stat.mode & 0o7777).toString(8).padStart(4, '0');
}

function refuse(file: string, finding: string, remedy: string): never {
  throw new LockError('CONFIG', `${file} ${finding}, so locks would not be safe there. ${remedy}`);
}
