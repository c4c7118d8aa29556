/**
 * What identifies this boot of the machine and this process, without trusting process ids or the wall clock.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { LockError } from '../../core/errors.ts';

/**
 * The monotonic clock of the machine in milliseconds: the same for all its processes, and not settable. It stands
 * still while the machine is suspended, as do all holders; their own clocks count a suspend, so they only end earlier.
 */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The id of this boot. Containers have the one of their host, as they share its clock. */
export function readBootId(): string {
  try {
    if (process.platform === 'linux') return checkBootId(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
    if (process.platform === 'darwin') {
      return checkBootId(execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }));
    }
  } catch (cause) {
    throw new LockError('CONFIG', 'The boot id of this machine cannot be read. On Linux /proc must be mounted.', {
      cause,
    });
  }
  throw new LockError(
    'UNSUPPORTED',
    `The sqlite backend works on Linux and macOS; on ${process.platform} nothing tells one boot from the next.`,
  );
}

/** A boot id becomes part of a folder's name. */
export function checkBootId(text: unknown): string {
  const id = typeof text === 'string' ? text.trim().toLowerCase() : '';
  if (!/^[0-9a-f-]{8,64}$/.test(id)) {
    throw new RangeError(`A boot id consists of 8 to 64 hexadecimal digits and hyphens, not ${JSON.stringify(text)}.`);
  }
  return id;
}

/**
 * By how much this process's monotonic clock is shifted against the machine's, as text: in a Linux time namespace
 * it can be, and then its instants do not compare with those of processes outside.
 */
export function clockShift(): string {
  try {
    const offsets = readFileSync('/proc/self/timens_offsets', 'utf8');
    return /^monotonic\s+(-?\d+\s+\d+)/m.exec(offsets)?.[1]?.replace(/\s+/, ' ') ?? '0 0';
  } catch {
    return '0 0'; // no time namespaces here
  }
}

let ownKey: string | undefined;

/**
 * The same text in all threads of this process, and another one in every other process of this boot: made of the
 * pid namespace, the pid, the start time, and where the stack lies, which a program replaced by exec does not share.
 * Where there is no /proc it is the pid alone; two processes with one key do no harm, they only wait for TTLs.
 */
export function processKey(): string {
  ownKey ??= createHash('sha256').update(processFacts()).digest('hex').slice(0, 16);
  return ownKey;
}

function processFacts(): string {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The second field is the program's name in parentheses and may contain anything; the third follows the last ")".
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [startTime, stackStart] = [fields[19], fields[25]];
    return [readlinkSync('/proc/self/ns/pid'), process.pid, startTime, stackStart].join(' ');
  } catch {
    return String(process.pid);
  }
}
