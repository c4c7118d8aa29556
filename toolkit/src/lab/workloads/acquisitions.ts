/**
 * How a holder asks for the lock and gives it back, each question with its line in the history before it is put.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryWriter } from '../history.ts';
import type { Acquired, Commands, Contended } from '../holder-protocol.ts';
import type { SubjectHold, SubjectSession } from '../subject.ts';
import { ContractError, checkHold } from '../subjects/contract.ts';
import { messageOf } from '../subjects/load-subject.ts';
import { Held } from './held.ts';

interface Dependencies {
  readonly session: SubjectSession;
  readonly history: HistoryWriter;
  readonly hideSecrets: (text: string) => string;
  readonly onError: (error: unknown) => void;
}

export class Acquisitions {
  readonly #use: Dependencies;
  #held: Held | undefined;
  #grants = 0;

  constructor(use: Dependencies) {
    this.#use = use;
  }

  held(): Held {
    if (!this.#held) throw new Error('The lock is not held.');
    return this.#held;
  }

  async acquire({ name, ttlMs, waitMs }: Commands['acquire']['asks']): Promise<Acquired> {
    const { session, history, hideSecrets, onError } = this.#use;
    const op = history.nextOperation();
    history.write({ f: 'acquire', type: 'invoke', op, name, ttlMs, waitMs });
    let answer: SubjectHold | null;
    try {
      answer = checkHold(await session.acquire(name, { ttlMs, waitMs }));
    } catch (error) {
      const said = hideSecrets(messageOf(error));
      history.write({ f: 'acquire', type: 'info', op, error: said });
      // A subject that breaks the contract is not a lock that could not answer.
      if (error instanceof ContractError) throw error;
      return { outcome: 'unknown', error: said };
    }
    if (answer === null) {
      history.write({ f: 'acquire', type: 'fail', op });
      return { outcome: 'busy' };
    }
    const hold = `${history.by}${++this.#grants}`;
    const token = answer.fencingToken;
    const grantedAt = history.write({ f: 'acquire', type: 'ok', op, hold, ...(token === undefined ? {} : { token }) });
    this.#held = new Held({ id: hold, hold: answer, grantedAt, history, onError });
    return { outcome: 'granted', hold };
  }

  /** Single tries, at a fixed rate, so that their number says how long it took. */
  async contend({ name, ttlMs, everyMs, limitMs }: Commands['contend']['asks']): Promise<Contended> {
    this.#use.history.write({ f: 'contend', type: 'event', everyMs });
    const startedAt = performance.now();
    for (let tries = 1; ; tries++) {
      const acquired = await this.acquire({ name, ttlMs, waitMs: 0 });
      if (acquired.outcome === 'granted') return { granted: true, tries, error: null };
      const nextIn = startedAt + tries * everyMs - performance.now();
      if (performance.now() + nextIn - startedAt > limitMs) {
        return { granted: false, tries, error: acquired.outcome === 'unknown' ? acquired.error : null };
      }
      await sleep(Math.max(0, nextIn));
    }
  }

  /** Gives what went wrong; the belief ends in any case when the release is sent. */
  async release(): Promise<string | null> {
    const { history, hideSecrets } = this.#use;
    const held = this.held();
    const op = history.nextOperation();
    history.write({ f: 'release', type: 'invoke', op, hold: held.id });
    this.#held = undefined;
    try {
      await held.release();
    } catch (error) {
      const said = hideSecrets(messageOf(error));
      history.write({ f: 'release', type: 'info', op, hold: held.id, error: said });
      return said;
    }
    history.write({ f: 'release', type: 'ok', op, hold: held.id });
    return null;
  }

  /** Asks the lock no more. */
  stop(): void {
    this.#held?.stop();
  }
}
