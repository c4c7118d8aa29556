/**
 * Asking all servers at once, and counting: a question is decided as soon as a majority has said yes, or so many have
 * said no that no majority can any more, and at the latest when the time for an answer is over.
 *
 * @module
 */
import type { LockError } from '../../core/errors.ts';
import type { Patience } from './patience.ts';
import type { Voter } from './voter.ts';

/** What one server has said: its words, or why there are none. */
export type Vote = string | LockError;

export interface Count {
  readonly yes: number;
  readonly no: number;
}

/** How many of so many servers must agree. Any two majorities have a server in common. */
export function majority(servers: number): number {
  return Math.floor(servers / 2) + 1;
}

/** Whether enough have said yes, or so many no that it can no longer happen. */
export function tally({ yes, no }: Count, servers: number): 'yes' | 'no' | 'open' {
  const needed = majority(servers);
  if (yes >= needed) return 'yes';
  if (no > servers - needed) return 'no';
  return 'open';
}

export interface Question {
  /** Asks one server, which tells once, perhaps at once; `isOver` says that nobody waits for its answer any more. */
  ask(voter: Voter, isOver: () => boolean, tell: (vote: Vote) => void): void;
  isYes(answer: string): boolean;
  /** Called for every answer; for one that comes after all was over, with how it stood then. */
  onVote?(voter: Voter, vote: Vote, outcome: Outcome | undefined): void;
}

/** How it stood when it was decided, or when the time was over. */
export interface Outcome extends Count {
  readonly decision: 'yes' | 'no' | 'open';
  readonly answered: number;
  /** By server; undefined where there was no answer yet. */
  readonly votes: readonly (Vote | undefined)[];
}

/** Never rejects. With `all` it waits for every server, though no longer than the time. */
export function askAll(
  voters: readonly Voter[],
  question: Question,
  { limitMs, patience, all = false }: { readonly limitMs: number; readonly patience: Patience; readonly all?: boolean },
): Promise<Outcome> {
  return new Promise((resolve) => {
    const votes: (Vote | undefined)[] = Array(voters.length).fill(undefined);
    let [yes, no, open] = [0, 0, voters.length];
    let outcome: Outcome | undefined;
    const isOver = (): boolean => outcome !== undefined;
    const end = (): void => {
      stopWaiting();
      outcome = { yes, no, answered: yes + no, decision: tally({ yes, no }, voters.length), votes };
      resolve(outcome);
    };
    const stopWaiting = patience.wait(limitMs, end);
    const take = (at: number, vote: Vote): void => {
      question.onVote?.(voters[at] as Voter, vote, outcome);
      if (outcome !== undefined) return;
      votes[at] = vote;
      open--;
      if (typeof vote === 'string') question.isYes(vote) ? yes++ : no++;
      if (open === 0 || (!all && tally({ yes, no }, voters.length) !== 'open')) end();
    };
    for (let at = 0; at < voters.length; at++) question.ask(voters[at] as Voter, isOver, (vote) => take(at, vote));
  });
}
