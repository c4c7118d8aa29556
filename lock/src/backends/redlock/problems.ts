/**
 * What to say when there is no majority.
 *
 * @module
 */
import { BackendUnavailableError, isTransient, LockError, quote } from '../../core/errors.ts';
import { majority, type Outcome } from './votes.ts';

/** Why a lock could not be had: too few servers answered. One that will never do better is told as what it is. */
export function tooFewAnswers(lockName: string, outcome: Outcome, limitMs: number): LockError {
  const servers = outcome.votes.length;
  const lasting = outcome.votes.filter((vote) => vote instanceof LockError && !isTransient(vote)) as LockError[];
  const [first] = lasting;
  if (first !== undefined && lasting.length > servers - majority(servers)) return first;
  const said = [
    `${outcome.yes} gave it their vote`,
    `${outcome.no} refused`,
    `${servers - outcome.answered} did not answer within ${Math.round(limitMs)} ms or failed`,
  ];
  return new BackendUnavailableError(
    `The lock ${quote(lockName)} could not be had: of ${servers} servers ${said.join(', ')}, and ${majority(servers)} votes are needed.${example(outcome)}`,
    { lockName, cause: first ?? outcome.votes.find((vote) => vote instanceof LockError) },
  );
}

/** The sentence for a question that too few have answered. */
export function unanswered(what: string, lockName: string, outcome: Outcome): string {
  const servers = outcome.votes.length;
  return `${what} of ${quote(lockName)} was answered by ${outcome.answered} of ${servers} servers, ${outcome.yes} times with yes, and ${majority(servers)} are needed.${example(outcome)}`;
}

function example({ votes }: Outcome): string {
  const at = votes.findIndex((vote) => vote instanceof LockError);
  return at === -1 ? '' : ` Server ${at + 1}: ${(votes[at] as LockError).message}`;
}
