/**
 * How names become keys. The lock's own key is the prefix and the name; everything else that belongs to a lock stands
 * beside it, under `holdfast.`, and is named by the scripts (`scripts/names.lua`).
 *
 * @module
 */
import { LockError, quote } from '../../core/errors.ts';

/** No lock's key begins with this, so that no name that a user chooses meets a queue or a counter. */
const RESERVED = 'holdfast.';

/** Where the line of a lock is kept, by the two forms of `names.lua`. */
const QUEUES = 'holdfast.queue';

/** Refuses a prefix that would put the locks where something else lives. */
export function checkKeyPrefix(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`keyPrefix must be a string, and is ${typeof value}.`);
  if (value.startsWith(RESERVED)) {
    throw new RangeError(`keyPrefix must not begin with ${quote(RESERVED)}, where the queues and counters live.`);
  }
  if (!value.isWellFormed() || value.includes('\0') || value.length > 128) {
    throw new RangeError('keyPrefix must be well-formed text without NUL, of at most 128 characters.');
  }
  return value;
}

/** The key of a lock. A name that would meet one of our own keys is refused. */
export function lockKey(keyPrefix: string, name: string): string {
  const key = keyPrefix + name;
  if (key.startsWith(RESERVED)) {
    throw new LockError(
      'CONFIG',
      `The lock ${quote(name)} would have the key ${quote(key)}, and keys that begin with ${quote(RESERVED)} are our own. Another name or a keyPrefix would do.`,
      { lockName: name },
    );
  }
  return key;
}

/** On a cluster, refuses a key that nothing can stand beside in the same slot: one with a `}` that ends no hash tag. */
export function checkSlot(key: string, lockName: string): void {
  if (!key.includes('}') || hashTag(key) !== key) return;
  throw new LockError(
    'CONFIG',
    `The lock ${quote(lockName)} cannot be on a cluster: its key ${quote(key)} has a "}" without a hash tag like {order}, so that its queue would be in another slot. Another name would do.`,
    { lockName },
  );
}

/** What stands after the name of a key, or of a channel, beside a lock's own key, as `names.lua` has it. */
export function beside(key: string): string {
  return hashTag(key) === key ? `:{${key}}` : `.${key}`;
}

/** The lock's key that a queue's key belongs to, or undefined if it is something else. */
export function lockKeyOfQueue(queueKey: string): string | undefined {
  const tail = queueKey.startsWith(QUEUES) ? queueKey.slice(QUEUES.length) : '';
  if (tail.startsWith('.')) return tail.slice(1);
  if (tail.startsWith(':{') && tail.endsWith('}')) return tail.slice(2, -1);
  return undefined;
}

/** Patterns for SCAN that match the keys of locks, and the keys of queues. */
export function scanPatterns(prefix: string): { readonly locks: string; readonly queues: string } {
  return { locks: `${escapePattern(prefix)}*`, queues: `${QUEUES}[.:]*` };
}

function escapePattern(text: string): string {
  return text.replace(/[\\*?[\]^]/g, '\\$&');
}

/** What decides the slot of a key on a cluster: its hash tag, or all of it. */
export function hashTag(key: string): string {
  const open = key.indexOf('{');
  if (open === -1) return key;
  const close = key.indexOf('}', open + 1);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}
