/**
 * The transactions of the lock, each one step at etcd. They are etcd's own recipe (the key that was created first has
 * the lock), plus two comparisons: a place is taken over only if its value is ours, and given back only if its create
 * revision is ours, so that no late or repeated request touches what belongs to somebody else.
 *
 * @module
 */
import { folderEndOf, folderOf } from './keys.ts';
import type { Operation, RangeRequest, Transaction } from './messages.ts';
import type { Place } from './place.ts';

/** How many operations etcd takes in one transaction, unless it is told otherwise. */
export const OPERATIONS_MAX = 128;

const NOTHING = { compare: [], success: [], failure: [] };

/**
 * Takes a place at the end, unless it has been withdrawn. Asked again it changes nothing.
 *
 * Success: the first in the folder; the last two, of which the last is ours. Failure: our key, if it is there.
 */
export function enter(place: Place): Transaction {
  return {
    compare: [
      { key: place.key, createRevision: 0n },
      { key: place.tombstone, createRevision: 0n },
    ],
    success: [put(place), first(place.name), { range: { ...folder(place.name, 'descending'), limit: 2 } }],
    failure: [{ range: { key: place.key } }],
  };
}

/**
 * Takes the lock if nobody has a key in the folder, and otherwise nothing.
 *
 * Failure: our key, if it is there; the first in the folder.
 */
export function enterIfFree(place: Place): Transaction {
  return {
    compare: [
      { key: folderOf(place.name), rangeEnd: folderEndOf(place.name), createRevision: 0n },
      { key: place.tombstone, createRevision: 0n },
    ],
    success: [put(place)],
    failure: [{ range: { key: place.key } }, first(place.name)],
  };
}

/** Our key, the first in the folder, and the one before us: read together, and not from a member that lags. */
export function look(place: Place, createRevision: bigint): Transaction {
  const before = { ...folder(place.name, 'descending'), limit: 1, maxCreateRevision: createRevision - 1n };
  return { ...NOTHING, success: [{ range: { key: place.key } }, first(place.name), { range: before }] };
}

/** Whether the keys of these places are there, at most `OPERATIONS_MAX` of them. */
export function check(places: readonly Place[]): Transaction {
  return { ...NOTHING, success: places.map(({ key }) => ({ range: { key, keysOnly: true } })) };
}

/** Gives a place back. */
export function leave(place: Place): Transaction {
  const { key, value, createRevision } = place;
  const ours = createRevision === undefined ? { key, value } : { key, createRevision };
  return { compare: [ours], success: [{ delete: { key } }], failure: [] };
}

/** Gives a place back, and refuses its owner for as long as its lease lives: a request that needs the lease may still arrive. */
export function withdraw(place: Place): Transaction {
  const { key, value, tombstone, lease } = place;
  const bury: Operation = { put: { key: tombstone, value: '', lease: lease.id } };
  return { compare: [{ key, value }], success: [{ delete: { key } }, bury], failure: [bury] };
}

/** Takes the lock away from whoever has this key. */
export function expel(key: string, createRevision: bigint): Transaction {
  return { compare: [{ key, createRevision }], success: [{ delete: { key } }], failure: [] };
}

/** All keys in the folder of a lock, in the order in which they were created. */
export function folder(name: string, byCreateRevision: 'ascending' | 'descending'): RangeRequest {
  return { key: folderOf(name), rangeEnd: folderEndOf(name), byCreateRevision, keysOnly: true };
}

function first(name: string): Operation {
  return { range: { ...folder(name, 'ascending'), limit: 1 } };
}

function put({ key, value, lease }: Place): Operation {
  return { put: { key, value, lease: lease.id } };
}
