/**
 * The same task several times: one verdict, the worst that was found, and how often each was.
 *
 * @module
 */
import type { Result, Verdict } from './result.ts';
import type { Task } from './tasks.ts';

/** One counter-example is enough, and a run that shows nothing leaves more open than one that shows no damage. */
const WORST_FIRST: readonly Verdict[] = ['unsafe', 'unknown', 'safe', 'not-run'];

/** The first of the worst stands for all, with its figures and its history. Throws where there is none. */
export function worstOf(results: readonly Result[]): Result {
  const [worst] = WORST_FIRST.flatMap((verdict) => results.find((result) => result.verdict === verdict) ?? []);
  if (!worst) throw new Error('There is no verdict over no rounds.');
  if (results.length === 1) return worst;
  const count = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length;
  const counts = { safe: count('safe'), unsafe: count('unsafe'), unknown: count('unknown') };
  const unsafeBelow = boundAfter(results.length);
  const bound = counts.safe === results.length && unsafeBelow < 1 ? { unsafeBelow } : {};
  return { ...worst, rounds: { ...counts, ...bound } };
}

/**
 * The rule of three: what has not happened in n rounds has, with a confidence of 95 %, a probability below 3/n. Were it
 * larger, n rounds without it would have come about in less than 5 % of all cases, since (1 - 3/n) to the n is below that.
 */
function boundAfter(rounds: number): number {
  return 3 / rounds;
}

/** What is to be run for some tasks, and what has come of it. */
export class Rounds {
  /** Each task so many times, one time after the other; what cannot take place, once. */
  readonly plays: readonly Task[];
  readonly #plays: ReadonlyMap<Task, readonly Task[]>;
  readonly #results: Map<Task, Result> = new Map();

  constructor(tasks: readonly Task[], rounds: number) {
    this.#plays = new Map(
      tasks.map((task) => [task, Array.from({ length: task.notRun === undefined ? rounds : 1 }, () => ({ ...task }))]),
    );
    this.plays = [...this.#plays.values()].flat();
  }

  /** Takes the result of one time. Once all of its task are there: that task, and the result over them. */
  add(play: Task, result: Result): { readonly task: Task; readonly result: Result } | undefined {
    this.#results.set(play, result);
    for (const [task, plays] of this.#plays) {
      if (!plays.includes(play)) continue;
      const results = this.#resultsOf(plays);
      return results.length === plays.length ? { task, result: worstOf(results) } : undefined;
    }
    return undefined;
  }

  /** The result of each task of which all times are there, in the order of the tasks. */
  results(): readonly Result[] {
    return [...this.#plays.values()].flatMap((plays) => {
      const results = this.#resultsOf(plays);
      return results.length === plays.length ? [worstOf(results)] : [];
    });
  }

  /** The result of each time, in the order of the tasks. */
  all(): readonly Result[] {
    return this.#resultsOf(this.plays);
  }

  #resultsOf(plays: readonly Task[]): readonly Result[] {
    return plays.flatMap((play) => this.#results.get(play) ?? []);
  }
}
