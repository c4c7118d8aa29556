/**
 * What one acquisition may have left at each server, so that it can be taken back everywhere: where a vote was given,
 * where none was, and where nobody knows. A vote may be given long after the attempt is over, by a server that was
 * frozen meanwhile; it is taken back when the answer comes.
 *
 * @module
 */

import type { Voter } from './voter.ts';
import type { Vote } from './votes.ts';

type State = 'asked' | 'given' | 'not-given' | 'unknown';

export class Attempt {
  readonly #states: Map<Voter, State> = new Map();
  /** Servers that have been asked to take the vote back, and have not answered yet: they do both in order. */
  readonly #leaving: Map<Voter, number> = new Map();
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  asked(voter: Voter): void {
    this.#states.set(voter, 'asked');
  }

  /** Takes an answer in. Tells whether that server must be asked now to take its vote back. */
  take(voter: Voter, vote: Vote): boolean {
    const state = stateAfter(vote);
    this.#states.set(voter, state);
    if (!this.#isOver) return false;
    return state === 'unknown' || (state === 'given' && !this.#leaving.has(voter));
  }

  /** The answer did not come in time: the request may still arrive, and is not wanted then. */
  doubt(voter: Voter): void {
    this.#states.set(voter, 'unknown');
  }

  /** From now on the owner wants no vote any more. */
  end(): void {
    this.#isOver = true;
  }

  /** Whether a request of this owner may reach that server after one that was sent later. */
  mayArriveLate(voter: Voter): boolean {
    return this.#states.get(voter) === 'unknown';
  }

  /** Whether that server has given its vote, or will when it comes to the request. */
  mayHave(voter: Voter): boolean {
    const state = this.#states.get(voter);
    return state === 'given' || state === 'asked';
  }

  leaving(voter: Voter): void {
    this.#leaving.set(voter, (this.#leaving.get(voter) ?? 0) + 1);
  }

  left(voter: Voter): void {
    const open = (this.#leaving.get(voter) ?? 0) - 1;
    if (open > 0) this.#leaving.set(voter, open);
    else this.#leaving.delete(voter);
  }
}

function stateAfter(vote: Vote): State {
  if (typeof vote === 'string') return vote === 'granted' ? 'given' : 'not-given';
  return vote.code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'not-given';
}
