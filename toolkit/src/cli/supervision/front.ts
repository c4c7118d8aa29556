/**
 * What the process does that the user started: it has the guard take the lock and run the command, passes signals on,
 * gives the exit code, and stands in for the guard if that is killed or stopped.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { formatDuration } from '../durations.ts';
import { EXIT_CODES, SIGNAL_BASE } from '../exit-codes.ts';
import { warn } from '../stderr.ts';
import { ProcessGroup } from './process-group.ts';
import {
  ENDING_SIGNALS,
  type Ended,
  type Gone,
  GUARD_MARK,
  type Refused,
  type Start,
  type Starting,
  type ToFront,
  type ToGuard,
} from './protocol.ts';
import { endSchedule, killMarginMs, monotonicNow } from './schedule.ts';
import { endCommand, findCommand, giveBack } from './stand-in.ts';

/** Passed on. SIGKILL and SIGSTOP cannot be taken, and the others are about this process. */
const PASSED_ON = [
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGWINCH',
  'SIGTSTP',
  'SIGCONT',
] as const;

/** How long the guard may take to give the lock back, which it does not wait for longer than 5 s. */
const GUARD_RELEASE_MS = 10_000;

/** How long after its death what it has said may still be on its way. */
const LAST_WORDS_MS = 200;

/** How often a guard that has not started the command yet is asked, and how many times in a row it may stay silent. */
const WHILE_WAITING = { askEveryMs: 1_000, silentTimes: 10 };

/** How long it may take to exit after its last message. */
const GUARD_EXIT_MS = 5_000;

/** Runs a command under a lock. Resolves with the exit code when the command has ended and the lock is not ours any more. */
export function runUnderLock(start: Start): Promise<number> {
  return new Front(start).exitCode;
}

class Front {
  readonly exitCode: Promise<number>;
  readonly #start: Start;
  readonly #guard: ChildProcess;
  /** An entry in the environment of the guard, which its children do not get. */
  readonly #guardMark: string = `${GUARD_MARK}=${randomUUID()}`;
  readonly #guardExited: Promise<void>;
  #resolve: (exitCode: number) => void = () => undefined;
  #starting: Starting | undefined;
  #group: ProcessGroup | undefined;
  #validUntil = 0;
  #ending = false;
  #gone: Gone | undefined;
  #last: Refused | Ended | undefined;
  #standingIn = false;
  /** How many times in a row the guard was asked and did not answer, while there was no lease yet. */
  #silentTimes = 0;
  /** The signal at which we stopped waiting for the lock. */
  #gaveUpAt: NodeJS.Signals | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(start: Start) {
    this.#start = start;
    this.exitCode = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    for (const signal of PASSED_ON) process.on(signal, () => this.#passOn(signal));
    // In a session of its own, so that Ctrl-C and Ctrl-Z, which the terminal sends to all of its foreground processes,
    // do not reach it past us. It inherits the standard descriptors to hand them to the command.
    this.#guard = spawn(process.execPath, [fileURLToPath(new URL('../processes/guard.mjs', import.meta.url))], {
      detached: true,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, [GUARD_MARK]: this.#guardMark.slice(GUARD_MARK.length + 1) },
    });
    this.#guard.on('message', (message: ToFront) => this.#receive(message));
    this.#guardExited = new Promise((resolve) => {
      this.#guard.once('exit', () => {
        // Its last messages may still be in the channel, which a child that it was just starting may keep open.
        if (!this.#guard.connected) return resolve();
        const timer = setTimeout(resolve, LAST_WORDS_MS);
        this.#guard.once('disconnect', () => {
          clearTimeout(timer);
          resolve();
        });
      });
      this.#guard.on('error', () => resolve());
    });
    void this.#guardExited.then(() => this.#onGuardExit());
    this.#tell(start);
    this.#timer = setInterval(() => this.#askWhileWaiting(), WHILE_WAITING.askEveryMs);
  }

  /**
   * Until the command starts there is no lease that says by when the guard must have done something. But one that was
   * stopped in the middle of a step keeps the embedded file from everybody, so it is ended when it gives no sign of life.
   * What is counted is questions and not time: while we are stopped ourselves, none is asked.
   */
  #askWhileWaiting(): void {
    if (++this.#silentTimes > WHILE_WAITING.silentTimes) this.#guard.kill('SIGKILL');
    else void this.#tell({ kind: 'still-there' });
  }

  #tell(message: ToGuard): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#guard.connected) return resolve();
      this.#guard.send(message, () => resolve());
    });
  }

  #passOn(signal: NodeJS.Signals): void {
    if (this.#starting === undefined && ENDING_SIGNALS.includes(signal)) this.#gaveUpAt ??= signal;
    const told = this.#tell({ kind: 'signalled', signal });
    // We took the signal that would have stopped us, so that the command stops as well; now it is our turn.
    if (signal === 'SIGTSTP') void told.then(() => process.kill(process.pid, 'SIGSTOP'));
  }

  #receive(message: ToFront): void {
    if (this.#standingIn) return; // what it has to say comes too late
    this.#silentTimes = 0;
    switch (message.kind) {
      case 'waiting':
        return;
      case 'starting':
        this.#starting = message;
        this.#validUntil = message.validUntil;
        break;
      case 'started':
        this.#group = new ProcessGroup(message.group, message.birth);
        break;
      case 'renewed':
        this.#validUntil = message.validUntil;
        break;
      case 'ending':
        this.#ending = true;
        break;
      case 'gone':
        this.#gone = message;
        this.#expectExit(message.keptForMs + GUARD_RELEASE_MS);
        return;
      case 'refused':
      case 'ended':
        this.#last = message;
        this.#expectExit(GUARD_EXIT_MS);
        return;
    }
    if (this.#gone === undefined) this.#watchTheEnd();
  }

  /** There is nothing left to protect; but a guard that hangs shall not hang us. */
  #expectExit(withinMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#guard.kill('SIGKILL'), withinMs);
  }

  /** Sets the timer for the moment when the guard must have done something. */
  #watchTheEnd(): void {
    if (this.#starting === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#suspect(), Math.max(0, this.#actAt() - monotonicNow()));
  }

  #actAt(): number {
    const schedule = endSchedule(this.#validUntil, this.#terms(), 'front');
    return this.#ending ? schedule.killAt : schedule.termAt;
  }

  #terms(): { ttlMs: number; killAfterMs: number } {
    return { ttlMs: this.#starting?.ttlMs ?? this.#start.ttlMs, killAfterMs: this.#start.killAfterMs };
  }

  /**
   * The guard should have renewed, or begun to end the command, and has not. If it was we who were stopped, its news
   * lie in the channel unread: it is asked, and has a moment to answer, in which all of them are read.
   */
  async #suspect(): Promise<void> {
    const patienceMs = Math.min(100, killMarginMs(this.#terms().ttlMs) / 4);
    const answered = new Promise<void>((resolve) => {
      this.#guard.once('message', () => resolve());
      setTimeout(resolve, patienceMs).unref();
    });
    void this.#tell({ kind: 'still-there' });
    await answered;
    await setImmediate();
    if (this.#gone !== undefined || this.#last !== undefined || this.#standingIn) return;
    if (this.#actAt() > monotonicNow()) return this.#watchTheEnd();
    if (this.#starting !== undefined) await this.#standIn(this.#starting, 'stopped');
  }

  #onGuardExit(): void {
    if (this.#standingIn) return;
    clearTimeout(this.#timer);
    if (this.#last !== undefined) {
      this.#resolve(this.#exitCodeOf(this.#last));
    } else if (this.#starting !== undefined) {
      void this.#standIn(this.#starting, 'killed');
    } else {
      const shown = JSON.stringify(this.#start.lockName);
      const ttl = formatDuration(this.#start.ttlMs);
      const was = this.#silentTimes > WHILE_WAITING.silentTimes ? 'stopped, and was ended,' : 'killed';
      warn(
        `The guard process was ${was} before it started the command under the lock ${shown}. The command was not started; if the lock had just been taken, it is free in at most ${ttl}.`,
      );
      this.#resolve(EXIT_CODES.internal.code);
    }
  }

  async #standIn(starting: Starting, guardWas: 'stopped' | 'killed'): Promise<void> {
    this.#standingIn = true;
    clearTimeout(this.#timer);
    const terms = { ttlMs: starting.ttlMs, validUntil: this.#validUntil };
    if (this.#gone === undefined && this.#group !== undefined) {
      // At the death of the guard the last watch asks.
      await endCommand(this.#start, [this.#group], { ...terms, ask: guardWas === 'stopped' && !this.#ending });
    }
    this.#guard.kill('SIGKILL');
    await this.#guardExited;
    if (this.#gone === undefined && this.#group === undefined) {
      const found = findCommand(starting, this.#guardMark);
      await endCommand(this.#start, found, { ...terms, ask: true });
    }

    const shown = JSON.stringify(this.#start.lockName);
    const endedByItself = this.#gone !== undefined && !this.#ending ? this.#gone : undefined;
    const whatHappened = endedByItself
      ? `The guard process was ${guardWas} while it gave back the lock ${shown}; the command had ended by itself.`
      : `The guard process was ${guardWas} while the command ran under the lock ${shown}. The command was ended.`;
    await giveBack(this.#start, starting, this.#validUntil, whatHappened);
    this.#resolve(endedByItself ? exitCodeOfCommand(endedByItself) : EXIT_CODES.lost.code);
  }

  #exitCodeOf(last: Refused | Ended): number {
    const gaveUp = this.#gaveUpAt;
    if (this.#starting === undefined && gaveUp !== undefined) return SIGNAL_BASE + constants.signals[gaveUp];
    if (last.message !== undefined) warn(last.message);
    if (last.exit !== undefined) return EXIT_CODES[last.exit].code;
    return exitCodeOfCommand(last);
  }
}

function exitCodeOfCommand({ code, signal }: Gone | Ended): number {
  if (signal !== null) return SIGNAL_BASE + constants.signals[signal];
  return code ?? EXIT_CODES.internal.code;
}
