/**
 * What is looked at once, before the first lock: whether the user of the connection may do what locks need, and whether
 * the server may throw locks away.
 *
 * @module
 */
import { LockError, quote } from '../../core/errors.ts';
import type { RedisCommands } from './client.ts';
import { probeError } from './errors.ts';

/** What to do with a server that may evict keys: say it once, take no lock there, or nothing. */
export type EvictionRule = 'warn' | 'refuse' | 'allow';

/** The answer of `probe.lua`; a command that did not work is a `LockError`. */
export function checkProbe(reply: string, lockName: string, onCluster: boolean): void {
  const [, command, message] = /^failed (\S+) (.*)$/s.exec(reply) ?? [];
  if (command !== undefined) throw probeError(command, message ?? '', lockName, onCluster);
}

export async function checkEviction(commands: RedisCommands, rule: EvictionRule, lockName: string): Promise<void> {
  if (rule === 'allow') return;
  const problem = evictionProblem(await memoryInfo(commands, rule));
  if (problem === undefined) return;
  if (rule === 'refuse') {
    throw new LockError('CONFIG', `The lock ${quote(lockName)} was not taken: ${problem}`, { lockName });
  }
  warnOnce(problem);
}

/** The text of INFO. Not every user may ask for it; who did not insist on the check goes without. */
async function memoryInfo(commands: RedisCommands, rule: EvictionRule): Promise<string> {
  try {
    const reply = await commands.send(['INFO', 'memory']);
    return typeof reply === 'string' ? reply : Object.values(reply ?? {}).join('\n');
  } catch (error) {
    if (rule === 'refuse') throw error;
    return '';
  }
}

/** Why locks are not safe from eviction, or undefined if they are, or if the server does not say. */
function evictionProblem(info: string): string | undefined {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  const limitBytes = Number(/^maxmemory:(\d+)/m.exec(info)?.[1] ?? 0);
  if (policy === undefined || policy === 'noeviction' || limitBytes === 0) return undefined;
  return (
    `this Redis has the maxmemory-policy ${policy} and a maxmemory of ${limitBytes} bytes, so that it may throw a lock away before its time, like any key with a TTL. ` +
    "A server of its own with the policy noeviction would help; the option eviction: 'allow' ends this check."
  );
}

let warned = false;

function warnOnce(problem: string): void {
  if (warned) return;
  warned = true;
  process.emitWarning(`Locks may be lost: ${problem}`, { type: 'HoldfastWarning', code: 'HOLDFAST_REDIS_EVICTION' });
}
