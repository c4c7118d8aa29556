/**
 * Whether messages reach us at all. A subscription may stand and hear nothing for ever: on a server that was cut off, or
 * that another one has replaced. So while somebody waits, a message to ourselves goes the way that releases go.
 *
 * @module
 */
import { callAfterInput } from '../../core/clock.ts';

/** How often one is sent, and how long it may take. */
const PROOF_MS = { every: 2_000, within: 1_000 };

/** The message to ourselves. */
export const PROOF = 'proof';

export class Proof {
  /** When we last knew that messages reach us. */
  #provenAt = Number.NEGATIVE_INFINITY;
  #isUnderWay = false;

  /** Something has come. */
  found(): void {
    this.#provenAt = performance.now();
  }

  /** Sends a message to ourselves if it is time for one. Calls `missed` if nothing comes. */
  seek(send: () => Promise<unknown>, missed: () => void): void {
    const sentAt = performance.now();
    if (this.#isUnderWay || sentAt - this.#provenAt < PROOF_MS.every) return;
    this.#isUnderWay = true;
    const judge = (): void => {
      this.#isUnderWay = false;
      if (this.#provenAt < sentAt) missed();
    };
    send().then(
      () => void callAfterInput(judge, PROOF_MS.within, { keepAlive: false }),
      () => {
        this.#isUnderWay = false; // then it is the connection for commands that does not work
      },
    );
  }
}
