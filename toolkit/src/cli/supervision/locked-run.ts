/**
 * One command under one lease: the command ends before the lease can, and the lock is given back only when the command
 * has ended.
 *
 * @module
 */
import { channel } from 'node:diagnostics_channel';
import { type FencedLease, type Lease, LeaseLostError, type LockEvents } from 'holdfast';
import { formatDuration } from '../durations.ts';
import { toFailure } from '../failure.ts';
import { type CommandEnd, startCommand } from './command.ts';
import { endGroup, stubborn } from './ending.ts';
import { LastWatch } from './last-watch.ts';
import { birthOf, ProcessGroup } from './process-group.ts';
import { ENDING_SIGNALS, type Ended, type Start, type ToFront } from './protocol.ts';
import { endSchedule, monotonicNow, type Terms } from './schedule.ts';

export interface GuardPorts {
  /** Resolves when the message is on its way. Never rejects. */
  tell(message: ToFront): Promise<void>;
  warn(text: string): void;
}

/** Why the command has to end although it has not ended by itself. */
type Cause = 'lost' | 'running-out' | 'front-gone';

export class LockedRun {
  readonly #lease: Lease;
  readonly #start: Start;
  readonly #ports: GuardPorts;
  readonly #terms: Terms;
  readonly #hasToEnd: Promise<'has-to-end'>;
  #decide: () => void = () => undefined;
  readonly #heldSince: number = monotonicNow();
  /** The command has ended by itself, and the lock is kept for the rest of --at-least. */
  #isKeeping = false;
  #endKeeping: () => void = () => undefined;
  #cause: Cause | undefined;
  /** The end of the lease as it was last known; stays when the lease is lost. */
  #validUntil: number;
  #timer: NodeJS.Timeout | undefined;
  #group: ProcessGroup | undefined;
  #toldToEnd = false;

  constructor(lease: Lease, start: Start, ports: GuardPorts) {
    this.#lease = lease;
    this.#start = start;
    this.#ports = ports;
    this.#terms = { ttlMs: lease.ttlMs, killAfterMs: start.killAfterMs };
    this.#validUntil = monotonicNow() + lease.remainingMs;
    this.#hasToEnd = new Promise((resolve) => {
      this.#decide = () => resolve('has-to-end');
    });
  }

  /** The first cause counts. */
  mustEnd(cause: Cause): void {
    this.#cause ??= cause;
    this.#decide();
  }

  /** Passes a signal on to the command. */
  forward(signal: NodeJS.Signals): void {
    if (ENDING_SIGNALS.includes(signal)) {
      this.#toldToEnd = true;
      this.#endKeeping();
    }
    if (signal === 'SIGUSR1' || signal === 'SIGUSR2') {
      // They mean something to one program, and death to the others.
      this.#group?.signalLeader(signal);
    } else if (signal === 'SIGTSTP') {
      // In a session without a terminal SIGTSTP has no effect.
      this.#group?.signal('SIGSTOP', { wholeSession: true });
    } else {
      this.#group?.signal(signal, { wholeSession: signal === 'SIGCONT' });
    }
  }

  /** Tells the front how long the lease goes on. */
  report(): void {
    void this.#ports.tell({ kind: 'renewed', validUntil: this.#validUntil });
  }

  /** Runs the command. Resolves when it has ended and the lock is not ours any more. Never rejects. */
  async finish(): Promise<Ended> {
    if (this.#lease.state === 'lost') return this.#conclude({ code: null, signal: null });
    const watch = new LastWatch();
    const { lockName, command, args, killAfterMs } = this.#start;
    const { owner, ttlMs } = this.#lease;
    // Empty where the backend has no tokens: that of an outer `holdfast run` must not be taken for ours.
    const { fencingToken = '' } = this.#lease as Partial<FencedLease>;
    const variables = { HOLDFAST_LOCK: lockName, HOLDFAST_TOKEN: String(fencingToken) };
    const environment = Object.entries(variables).map((entry) => entry.join('='));
    void this.#ports.tell({ kind: 'starting', owner, ttlMs, validUntil: this.#validUntil, environment });
    const running = startCommand(command, args, variables);
    if (running.pid !== undefined) {
      watch.over(running.pid, killAfterMs);
      const birth = birthOf(running.pid);
      this.#group = new ProcessGroup(running.pid, birth);
      void this.#ports.tell({ kind: 'started', group: running.pid, birth });
    }

    const unfollow = this.#followLease();
    const first = await Promise.race([running.ended, this.#hasToEnd]);
    if (this.#group !== undefined && (first === 'has-to-end' || first.signal !== null || this.#toldToEnd)) {
      // It does not end by itself, so what it leaves in its session was not meant to stay.
      void this.#ports.tell({ kind: 'ending' });
      watch.hurry();
      await this.#end(this.#group);
    }
    const end = await running.ended;
    unfollow();
    const keptForMs = end.code === null || this.#toldToEnd || this.#cause !== undefined ? 0 : this.#keptForMs;
    void this.#ports.tell({ kind: 'gone', code: end.code, signal: end.signal, keptForMs });
    await watch.dismiss();
    if (keptForMs > 0) await this.#keep(keptForMs);
    return this.#conclude(end);
  }

  #end(group: ProcessGroup): Promise<void> {
    const { killAfterMs } = this.#terms;
    const askedAt = monotonicNow();
    return endGroup(group, {
      ask: true,
      killAt: () => Math.min(askedAt + killAfterMs, endSchedule(this.#validUntil, this.#terms, 'guard').killAt),
      onStubborn: (pids) => this.#ports.warn(stubborn(this.#start.lockName, pids)),
    });
  }

  /** What is left of --at-least. */
  get #keptForMs(): number {
    return Math.max(0, this.#heldSince + this.#start.atLeastMs - monotonicNow());
  }

  /** Keeps the lock, until the time is over, it is lost, somebody tells us to end, or the front is gone. */
  async #keep(forMs: number): Promise<void> {
    this.#isKeeping = true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, forMs);
      this.#endKeeping = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#lease.signal.addEventListener('abort', this.#endKeeping);
      if (this.#lease.state === 'lost' || this.#toldToEnd) this.#endKeeping();
      void this.#hasToEnd.then(this.#endKeeping);
    });
  }

  /** Watches the lease until the returned function is called. */
  #followLease(): () => void {
    const lost = (): void => this.mustEnd('lost');
    const renewals = channel('holdfast:renewal');
    const onRenewal = (event: unknown): void => {
      const { owner, outcome } = event as LockEvents['holdfast:renewal'];
      // The event comes just before the lease takes the news in.
      if (owner === this.#lease.owner && outcome === 'renewed') queueMicrotask(() => this.#takeRenewal());
    };
    this.#lease.signal.addEventListener('abort', lost);
    renewals.subscribe(onRenewal);
    this.#watchTheEnd();
    if (this.#lease.state === 'lost') lost();
    return () => {
      this.#lease.signal.removeEventListener('abort', lost);
      renewals.unsubscribe(onRenewal);
      clearTimeout(this.#timer);
    };
  }

  #takeRenewal(): void {
    const { remainingMs } = this.#lease;
    if (remainingMs === 0) return; // lost meanwhile
    this.#validUntil = monotonicNow() + remainingMs;
    this.report();
    this.#watchTheEnd();
  }

  #watchTheEnd(): void {
    clearTimeout(this.#timer);
    const { termAt } = endSchedule(this.#validUntil, this.#terms, 'guard');
    this.#timer = setTimeout(() => this.mustEnd('running-out'), Math.max(0, termAt - monotonicNow()));
  }

  /** Gives the lock back, or says that it was lost. */
  async #conclude({ code, signal, failure }: CommandEnd): Promise<Ended> {
    const leftMs = this.#lease.remainingMs;
    const problem: unknown = await this.#lease.release().catch((error: unknown) => error);
    const ended = { kind: 'ended', code, signal } as const;
    const lockName = JSON.stringify(this.#start.lockName);
    // By now its time may be over as well; that it was about to be is what has ended the command.
    if (this.#cause === 'running-out') return { ...ended, exit: 'lost', message: ranOut(lockName, this.#terms) };
    if (problem instanceof LeaseLostError && this.#isKeeping) {
      const when = `before the ${formatDuration(this.#start.atLeastMs)} of --at-least were over`;
      return { ...ended, message: `The command has ended, and then the lock was lost, ${when}. ${problem.message}` };
    }
    if (problem instanceof LeaseLostError) {
      return { ...ended, exit: 'lost', message: `${problem.message} ${this.#whatBecameOfIt()}` };
    }
    if (this.#cause === 'front-gone') {
      const what = this.#isKeeping ? 'The command had ended by itself' : 'The command was ended';
      this.#ports.warn(`The front process was killed. ${what}, then the lock ${lockName} was released.`);
    }
    if (failure !== undefined) return { ...ended, ...failure };
    if (problem === undefined) return ended;
    const { message } = toFailure(problem);
    const freeIn = `It is free in at most ${formatDuration(leftMs)}.`;
    return {
      ...ended,
      message: `The command has ended, and the lock ${lockName} could not be given back. ${freeIn} ${message}`,
    };
  }

  #whatBecameOfIt(): string {
    if (this.#group === undefined) return 'The command was not started.';
    return this.#cause === undefined ? 'The command has ended by itself.' : 'The command was ended.';
  }
}

function ranOut(lockName: string, { ttlMs, killAfterMs }: Terms): string {
  return (
    `Lost the lock ${lockName}: of its TTL of ${formatDuration(ttlMs)} only the ${formatDuration(killAfterMs)} of --kill-after were left, and no renewal was answered. ` +
    'The command was ended before that was over. Is the backend reachable? A longer --ttl rides out longer outages.'
  );
}
