/**
 * How locks lie in etcd: the layout of etcd's Go package `concurrency` and of `etcdctl lock`, so that all of these
 * exclude each other.
 *
 * Each contender has a key directly under the lock's name, bound to a lease; the one that was created first has the
 * lock. Go names it `<name>/<lease>`, ours is `<name>/<lease>-<number>`, since many of our locks share a lease.
 *
 * @module
 */
import { hostname } from 'node:os';
import type { AcquireRequest, OwnerReport } from '../../core/backend.ts';
import type { KeyValue } from './messages.ts';

const HOST = hostname();

/** Under what the contenders of a lock have their keys. */
export function folderOf(name: string): string {
  return `${name}/`;
}

/** The first key after all that begin with `<name>/`: `0` is the character after `/`. */
export function folderEndOf(name: string): string {
  return `${name}0`;
}

export function keyOf(name: string, lease: bigint, number: number): string {
  return `${folderOf(name)}${lease.toString(16)}-${number}`;
}

/**
 * Where it stands that an owner has been withdrawn. No lock has NUL in its name, so that this is in nobody's folder,
 * and it begins with the lock's name, so that a role for the names of the locks covers it.
 */
export function tombstoneOf(name: string, lease: bigint, number: number): string {
  return `${name}\0${lease.toString(16)}-${number}`;
}

/** Whether a key in the folder of a lock belongs to that lock, and not to one whose name goes on: `a/b` beside `a`. */
export function isInLine(name: string, { key }: KeyValue): boolean {
  return !key.includes('/', name.length + 1);
}

/** Whether a key is somebody's data: those of contenders hang on a lease, Go's as well as ours, and this would stay for ever. */
export function isData({ lease }: KeyValue): boolean {
  return lease === 0n;
}

/** The name of the lock that a key belongs to, if it is called as contenders are: after its own lease. */
export function nameOfLock(kv: KeyValue): string | undefined {
  const [, name, lease] = /^(.+)\/([0-9a-f]{1,16})(?:-\d+)?$/s.exec(kv.key) ?? [];
  return !isData(kv) && lease === kv.lease.toString(16) ? name : undefined;
}

/** What stands in a contender's key: the owner id, and what people on call want to know. */
export function contentOf({ owner, purpose }: AcquireRequest): string {
  return JSON.stringify({ owner, host: HOST, pid: process.pid, purpose });
}

/** Who stands in a key; `foreign` if it was not Holdfast that wrote it. */
export function reportOf({ key, value }: KeyValue): OwnerReport & { readonly foreign: boolean } {
  const written = parse(value);
  if (typeof written?.owner !== 'string') {
    const owner = key.slice(key.lastIndexOf('/') + 1);
    return { owner, host: undefined, pid: undefined, purpose: undefined, since: undefined, foreign: true };
  }
  const { owner, host, pid, purpose } = written;
  return {
    owner,
    host: typeof host === 'string' ? host : undefined,
    pid: typeof pid === 'number' ? pid : undefined,
    purpose: typeof purpose === 'string' ? purpose : undefined,
    since: undefined, // etcd keeps no times
    foreign: false,
  };
}

function parse(value: string): Record<string, unknown> | undefined {
  try {
    const written: unknown = JSON.parse(value);
    return typeof written === 'object' && written !== null ? (written as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
