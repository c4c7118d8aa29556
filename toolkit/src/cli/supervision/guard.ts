/**
 * What the guard process does: take the lock, run the command under it, give the lock back.
 *
 * @module
 */
import { createLocks, type Lease, type Locks } from 'holdfast';
import { connect } from '../../connect/connect.ts';
import type { Connection } from '../../connect/connection.ts';
import { formatDuration } from '../durations.ts';
import { asUsage, type Failure, toFailure } from '../failure.ts';
import { cut } from '../text.ts';
import { type GuardPorts, LockedRun } from './locked-run.ts';
import { ENDING_SIGNALS, type Ended, type Signalled, type Start, type StillThere } from './protocol.ts';
import { monotonicNow } from './schedule.ts';

export class Guard {
  readonly #ports: GuardPorts;
  /** Ends the wait for the lock. */
  readonly #giveUp: AbortController = new AbortController();
  #suspension: { readonly over: Promise<void>; end(): void } | undefined;
  #run: LockedRun | undefined;

  constructor(ports: GuardPorts) {
    this.#ports = ports;
  }

  frontGone(): void {
    this.#giveUp.abort();
    this.#suspension?.end();
    this.#run?.mustEnd('front-gone');
  }

  receive(message: Signalled | StillThere): void {
    if (message.kind === 'still-there') this.#answer();
    else if (this.#run !== undefined) this.#run.forward(message.signal);
    else this.#takeWhileWaiting(message.signal);
  }

  #answer(): void {
    if (this.#run === undefined) void this.#ports.tell({ kind: 'waiting' });
    else this.#run.report();
  }

  #takeWhileWaiting(signal: NodeJS.Signals): void {
    if (ENDING_SIGNALS.includes(signal)) {
      this.#giveUp.abort();
      this.#suspension?.end();
    } else if (signal === 'SIGTSTP') {
      this.#suspension ??= suspension();
    } else if (signal === 'SIGCONT') {
      this.#suspension?.end();
      this.#suspension = undefined;
    }
  }

  /** From the first message to the last. Never rejects. */
  async run(start: Start): Promise<void> {
    const { url, lockName, ttlMs, waitMs, purpose } = start;
    const { signal } = this.#giveUp;
    const giveUpAt = monotonicNow() + waitMs;
    let connection: Connection | undefined;
    let locks: Locks<Lease> | undefined;
    try {
      connection = await connect(url, { patienceMs: waitMs, signal, underGuard: true });
      const locksOfRun = createLocks(connection.backend, { ttlMs });
      locks = locksOfRun;
      const lock = asUsage(() => locksOfRun.lock(lockName, { purpose }));
      const lease = await lock.acquire({ waitMs: Math.max(0, Math.round(giveUpAt - monotonicNow())), signal });
      // Who has been suspended keeps its turn, but does not start anything.
      await this.#suspension?.over;
      await this.#ports.tell(await this.#runUnder(lease, start));
    } catch (error) {
      await this.#ports.tell({ kind: 'refused', ...refusal(error, start) });
    } finally {
      await locks?.close().catch(() => undefined); // what it could not give back ends with its TTL
      await connection?.close();
    }
  }

  async #runUnder(lease: Lease, start: Start): Promise<Ended> {
    if (this.#giveUp.signal.aborted) {
      await lease.release().catch(() => undefined); // the TTL ends it then
      return { kind: 'ended', code: null, signal: null };
    }
    this.#run = new LockedRun(lease, start, this.#ports);
    return this.#run.finish();
  }
}

function suspension(): { readonly over: Promise<void>; end(): void } {
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { over, end };
}

/** What the library says of a busy lock names its own option, and only what was left of the wait. */
function refusal(error: unknown, { lockName, waitMs }: Start): Failure {
  const failure = toFailure(error);
  if (failure.exit !== 'busy') return failure;
  const waited = waitMs === 0 ? ', and --wait 0 tries once' : ` for all of --wait ${formatDuration(waitMs)}`;
  const held = `The lock ${JSON.stringify(cut(lockName, 80))} was held by another owner${waited}.`;
  return { ...failure, message: `${held} A larger --wait waits longer; \`holdfast who\` names the holder.` };
}
