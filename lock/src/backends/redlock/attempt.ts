/**
 * What one acquisition may have left at each server, so that it can be taken back everywhere: where a vote was given,
 * where none was, and where nobody knows. A vote may be given long after the attempt is over, by a server that was
 * frozen meanwhile; it is taken back when the answer comes.
 *
 * @module
 */

import type { Voter } from './voter.ts';

/** The place of a server among all. */
type Numbered = Pick<Voter, 'number'>;

import type { Vote } from './votes.ts';

type State = 'asked' | 'given' | 'not-given' | 'unknown';

export class Attempt {
  /** By the number of the server. */
  readonly #states: (State | undefined)[] = [];
  /** Servers that have been asked to take the vote back, and have not answered yet: they do both in order. */
  readonly #leaving: (number | undefined)[] = [];
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  asked(voter: Numbered): void {
    this.#states[voter.number] = 'asked';
  }

  /** Takes an answer in. Tells whether that server must be asked now to take its vote back. */
  take(voter: Numbered, vote: Vote): boolean {
    const state = stateAfter(vote);
    this.#states[voter.number] = state;
    if (!this.#isOver) return false;
    return state === 'unknown' || (state === 'given' && !this.#leaving[voter.number]);
  }

  /** The answer did not come in time: the request may still arrive, and is not wanted then. */
  doubt(voter: Numbered): void {
    this.#states[voter.number] = 'unknown';
  }

  /** From now on the owner wants no vote any more. */
  end(): void {
    this.#isOver = true;
  }

  /** Whether a request of this owner may reach that server after one that was sent later. */
  mayArriveLate(voter: Numbered): boolean {
    return this.#states[voter.number] === 'unknown';
  }

  /** Whether that server has given its vote, or will when it comes to the request. */
  mayHave(voter: Numbered): boolean {
    const state = this.#states[voter.number];
    return state === 'given' || state === 'asked';
  }

  leaving(voter: Numbered): void {
    this.#leaving[voter.number] = (this.#leaving[voter.number] ?? 0) + 1;
  }

  left(voter: Numbered): void {
    this.#leaving[voter.number] = (this.#leaving[voter.number] ?? 1) - 1;
  }
}

function stateAfter(vote: Vote): State {
  if (typeof vote === 'string') return vote === 'granted' ? 'given' : 'not-given';
  return vote.code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'not-given';
}
