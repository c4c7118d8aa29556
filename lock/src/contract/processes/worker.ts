/**
 * A process that holds locks for the contract suite: it does what its parent says over IPC, and ends with it.
 *
 * @module
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { Backend } from '../../core/backend.ts';
import type { LeaseLostError, LockError } from '../../core/errors.ts';
import type { FencedLease, Lease } from '../../core/lease.ts';
import { createLocks, type Locks } from '../../core/lock.ts';
import type { WorkerCommand, WorkerLease, WorkerLook } from '../worker-process.ts';

interface HeldHere {
  readonly lease: Lease;
  lostAtMs: number | undefined;
}

let locks: Locks<Lease> | undefined;
const leases: HeldHere[] = [];

async function answer(command: WorkerCommand): Promise<unknown> {
  switch (command.do) {
    case 'open': {
      const { default: createBackend } = (await import(command.module)) as {
        default: (data: unknown) => Promise<Backend>;
      };
      locks = createLocks(await createBackend(command.data), command.options);
      return undefined;
    }
    case 'acquire':
      return keep(
        await opened()
          .lock(command.name)
          .acquire(command.waitMs === undefined ? {} : { waitMs: command.waitMs }),
      );
    case 'tryAcquire': {
      const lease = await opened().lock(command.name).tryAcquire();
      return lease === null ? null : keep(lease);
    }
    case 'release':
      return leases[command.lease]?.lease.release();
    case 'look':
      return look(command.lease);
    case 'loop':
      await Promise.all(Array.from({ length: command.callers }, () => loop(command)));
      return undefined;
  }
}

function opened(): Locks<Lease> {
  if (locks === undefined) throw new Error('The first command is "open".');
  return locks;
}

function keep(lease: Lease): WorkerLease {
  const held: HeldHere = { lease, lostAtMs: undefined };
  lease.signal.addEventListener('abort', () => {
    held.lostAtMs = monotonicMs();
  });
  leases.push(held);
  return { lease: leases.length - 1, token: tokenOf(lease), atMs: monotonicMs() };
}

function look(index: number): WorkerLook {
  const held = leases[index];
  if (held === undefined) throw new Error(`There is no lease ${index}.`);
  const { state, remainingMs, signal } = held.lease;
  const loss = signal.reason as LeaseLostError | undefined;
  return { state, remainingMs, lostAtMs: held.lostAtMs, lostReason: loss?.reason };
}

async function loop(command: Extract<WorkerCommand, { do: 'loop' }>): Promise<void> {
  for (let round = 0; round < command.rounds; round++) {
    const lease = await opened().lock(command.name).acquire({ waitMs: command.waitMs });
    const count = Number(readFileSync(command.counterFile, 'utf8'));
    await new Promise((resolve) => setImmediate(resolve)); // others get every chance to come between
    writeFileSync(command.counterFile, String(count + 1));
    appendFileSync(command.logFile, `${tokenOf(lease)}\n`);
    await lease.release();
  }
}

function tokenOf(lease: Lease): string | undefined {
  return (lease as Partial<FencedLease>).fencingToken?.toString();
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

process.on('message', ({ id, command }: { id: number; command: WorkerCommand }) => {
  answer(command).then(
    (value) => process.send?.({ id, value }),
    (error: LockError) => process.send?.({ id, error: { message: error.message, code: error.code } }),
  );
});
process.on('disconnect', () => process.exit(0));
