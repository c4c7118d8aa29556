/**
 * One of the independent servers, as the quorum sees it: it is asked, and answers in words or with a `LockError`. One
 * that has gone silent is not asked any more, but for a question now and then that finds out whether it is back: so a
 * dead server costs nobody a wait, and its client has no heap of old requests to send when it returns.
 *
 * @module
 */
import { BackendUnavailableError, LockError, quote } from '../../core/errors.ts';
import { Batch, type Task, type Tell } from '../redis/batch.ts';
import type { RedisCommands } from '../redis/client.ts';
import { checkEviction, type EvictionRule } from '../redis/health.ts';
import { type Operation, scripts } from './scripts.ts';

/** How often a silent server is asked, to hear whether it is back. */
const ASK_SILENT_EVERY_MS = 500;

export interface VoterSettings {
  readonly eviction: EvictionRule;
  /** After this time without any answer to what was asked it counts as silent. */
  readonly silentAfterMs: number;
  /** Says who already has this run id, and takes it for this voter otherwise. */
  claimRunId(runId: string, voter: Voter): Voter;
}

export class Voter {
  /** As messages count them: from 1. */
  readonly number: number;
  readonly commands: RedisCommands;
  readonly #settings: VoterSettings;
  readonly #batch: Batch<Operation>;
  #checked = false;
  #checking: Promise<void> | undefined;
  #unanswered = 0;
  /** When it last answered, or was asked while nothing was open. */
  #heardAtMs = 0;
  #suspected = false;
  #silent = false;
  #askedWhileSilentAtMs = 0;

  constructor(number: number, commands: RedisCommands, settings: VoterSettings) {
    this.number = number;
    this.commands = commands;
    this.#settings = settings;
    this.#batch = new Batch<Operation>(commands, scripts);
  }

  /** Whether it has ever answered. */
  get isKnown(): boolean {
    return this.#checked;
  }

  /**
   * Asks for one lock, and tells the answer once: what the server says, or why it says nothing; a
   * `BackendUnavailableError` means that it was certainly not done. It may tell in this very call. Nothing is sent any more
   * once `isOver` says that nobody waits for the answer.
   */
  ask(task: Task<Operation>, isOver: () => boolean, tell: Tell): void {
    if (!this.#isAsked()) tell(this.#silence());
    else if (this.#checked) this.#ask(task, tell);
    else {
      this.#check(task.lockName).then(
        () => (isOver() ? tell(this.#tooLate()) : this.#ask(task, tell)),
        (error: LockError) => tell(error),
      );
    }
  }

  #ask(task: Task<Operation>, tell: Tell): void {
    this.#unanswered++;
    this.#batch.ask(task, (answer) => {
      this.#heard();
      tell(answer);
    });
  }

  /** One command of another kind, watched in the same way. Rejects with the client's own error. */
  send(args: readonly string[]): Promise<unknown> {
    return this.#isAsked() ? this.#send(args) : Promise.reject(this.#silence());
  }

  async #send(args: readonly string[]): Promise<unknown> {
    this.#unanswered++;
    try {
      return await this.commands.send(args);
    } finally {
      this.#heard();
    }
  }

  /** Looks at the server once; until that has succeeded every question begins with it. */
  #check(lockName: string): Promise<void> {
    this.#checking ??= this.#look(lockName).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #look(lockName: string): Promise<void> {
    const watched = { send: (args: readonly string[]) => this.#send(args) };
    try {
      const [runId] = await Promise.all([this.#runId(), checkEviction(watched, this.#settings.eviction, lockName)]);
      const first = runId === undefined ? this : this.#settings.claimRunId(runId, this);
      if (first !== this) throw this.#sameServer(first, lockName);
    } catch (error) {
      if (error instanceof LockError) throw error;
      // Whatever became of the look, the question itself was not sent.
      const text = error instanceof Error ? error.message : String(error);
      throw new BackendUnavailableError(`The server could not be asked: ${text}`, { lockName, cause: error });
    }
    this.#checked = true;
  }

  /** What tells servers apart. Not every user may ask INFO; then nobody can look whether two clients lead to one server. */
  async #runId(): Promise<string | undefined> {
    const reply = await this.#send(['INFO', 'server']).catch((error: unknown) => {
      if (/^NOPERM|permissions/i.test(error instanceof Error ? error.message : String(error))) return '';
      throw error;
    });
    const text = typeof reply === 'string' ? reply : Object.values(reply ?? {}).join('\n');
    return /^run_id:(\S+)/m.exec(text)?.[1];
  }

  #sameServer(first: Voter, lockName: string): LockError {
    return new LockError(
      'CONFIG',
      `The lock ${quote(lockName)} has no vote of client ${this.number}: it leads to the same server as client ${first.number}, and a server has one vote. Give each client a server of its own.`,
      { lockName },
    );
  }

  /** Whether a request goes out now: not to a silent server, but for one now and then. */
  #isAsked(): boolean {
    const now = performance.now();
    if (this.#unanswered === 0) this.#heardAtMs = now;
    else if (now - this.#heardAtMs > this.#settings.silentAfterMs) this.#suspect();
    if (!this.#silent) return true;
    if (now - this.#askedWhileSilentAtMs < ASK_SILENT_EVERY_MS) return false;
    this.#askedWhileSilentAtMs = now;
    return true;
  }

  #silence(): LockError {
    const forMs = Math.round(performance.now() - this.#heardAtMs);
    return new BackendUnavailableError(`The server has not answered for ${forMs} ms.`);
  }

  #tooLate(): LockError {
    return new BackendUnavailableError('The server answered too late to be asked.');
  }

  #heard(): void {
    this.#unanswered--;
    this.#silent = false;
    if (this.#unanswered > 0) this.#heardAtMs = performance.now(); // else the next question counts from its own sending
  }

  /** It may be our own event loop that was blocked: look again when it has read what has come. */
  #suspect(): void {
    if (this.#suspected || this.#silent) return;
    this.#suspected = true;
    setImmediate(() => {
      this.#suspected = false;
      const now = performance.now();
      if (this.#unanswered === 0 || now - this.#heardAtMs <= this.#settings.silentAfterMs) return;
      this.#silent = true;
      this.#askedWhileSilentAtMs = now;
    });
  }
}
