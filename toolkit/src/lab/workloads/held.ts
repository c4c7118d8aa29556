/**
 * A lock that this process has got, and the record of when it believed so: it is asked every few milliseconds, and
 * before each act of its holder.
 *
 * @module
 */
import { type HistoryWriter, type HoldId, monotonicNs } from '../history.ts';
import type { SubjectHold } from '../subject.ts';
import { checkBelief } from '../subjects/contract.ts';

const ASK_EVERY_MS = 10;

/** After a longer silence the answer is written down although it has not changed. */
const SILENCE_NS = 100_000_000n;

interface Grant {
  readonly id: HoldId;
  readonly hold: SubjectHold;
  /** As it stands in the history. */
  readonly grantedAt: bigint;
  readonly history: HistoryWriter;
  /** For an answer of the lock that is none. */
  readonly onError: (error: unknown) => void;
}

export class Held {
  readonly id: HoldId;
  readonly token: string | undefined;
  readonly #hold: SubjectHold;
  readonly #history: HistoryWriter;
  readonly #timer: NodeJS.Timeout;
  #believes = true;
  #lastAsked: bigint;
  #lastTrue: bigint;

  constructor({ id, hold, grantedAt, history, onError }: Grant) {
    this.id = id;
    this.token = hold.fencingToken;
    this.#hold = hold;
    this.#history = history;
    this.#lastAsked = grantedAt;
    this.#lastTrue = grantedAt;
    this.#timer = setInterval(() => {
      try {
        this.ask();
      } catch (error) {
        this.stop();
        onError(error);
      }
    }, ASK_EVERY_MS);
  }

  /** What the lock itself says now. Throws a ContractError if that is no answer. */
  ask(): boolean {
    // From before the question, since the answer may come late: what it said then is not said of the time until now.
    const now = monotonicNs();
    const believes = checkBelief(this.#hold.believes());
    if (believes) this.#lastTrue = now;
    if (believes !== this.#believes || now - this.#lastAsked > SILENCE_NS) {
      this.#history.write({ f: 'belief', type: 'event', hold: this.id, believes, lastTrue: String(this.#lastTrue) });
    }
    this.#believes = believes;
    this.#lastAsked = now;
    return believes;
  }

  /** Waits while it believes, at most `limitMs`; whether it does so still. */
  async believesFor(limitMs: number): Promise<boolean> {
    const giveUpAt = performance.now() + limitMs;
    while (this.ask() && performance.now() < giveUpAt)
      await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    return this.#believes;
  }

  release(): Promise<void> {
    this.stop();
    return this.#hold.release();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
