/**
 * What a check-up finds, as data: the shape of `run.json`, and the rule that makes one verdict of many checks.
 *
 * @module
 */
import type { Guarantee as HoldfastGuarantee } from 'holdfast';
import type { StoredHistory } from './stored-history.ts';

/**
 * Whether the protected data could have been damaged. `unknown`: the run proves neither; `not-run`: it could not take
 * place, or does not apply.
 */
export type Verdict = 'safe' | 'unsafe' | 'unknown' | 'not-run';

/** Names end in their unit; counts and yes-or-no have none. */
export interface Figures {
  /** From the fault to the rival's grant. */
  recoveryMs?: number;
  /** From a release to the grant of the one who waited; the median, where there were many. */
  handOverMs?: number;
  /** A message to a server that is at a distance, and its answer. */
  roundTripMs?: number;
  /** Taking and releasing a lock that nobody else wants, the quickest time. */
  pairMs?: number;
  pairRoundTrips?: number;
  handOverRoundTrips?: number;
  /** From the death of a leader to the next. */
  electionMs?: number;
  /** The longest time in which no question of the rival was answered: a question that dies with the leader is part of it. */
  withoutServiceMs?: number;
  /** Whether the holder had the lock until it gave it back. */
  lockKept?: boolean;
  /** Whether the lock was not given at all, since what it needs was not there. */
  lockRefused?: boolean;
  /** How often the rival asked until it had the lock. */
  tries?: number;
  /** How long two clients believed at once that they hold. */
  overlapMs?: number;
  /** How long before its rival's grant the older holder knew that it had lost. */
  marginMs?: number;
  /** The part of it in which the older holder was awake, so that it could act on its belief. */
  falseBeliefMs?: number;
  /** How often the lock was given to a second holder while a first one believed to hold it, where that was more than once. */
  grantsWhileHeld?: number;
  /** Writes of the stale holder that the register without a guard took. */
  staleWritesAccepted?: number;
  /** Updates that a later write did not know of and so undid, in the register without a guard. */
  lostUpdates?: number;
  /** Writes of the stale holder that the guard refused. */
  staleWritesRefused?: number;
  /** Writes of the stale holder that the guard let through. */
  staleWritesPastGuard?: number;
  /** How many waited for the lock. */
  waiters?: number;
  /** How many got the lock before one who had come earlier. */
  inversions?: number;
  /** How many requests the servers were sent for each hand-over, by whoever waits included. */
  commandsPerHandover?: number;
  /** How many watches the servers answered for each release. */
  wakeUpsPerRelease?: number;
  /** Whether each token was larger than all earlier ones. */
  tokensInOrder?: boolean;
}

/** One checker's opinion. `not-run`: it has nothing to say about this lock. */
export interface Check {
  readonly checker: CheckerId;
  readonly verdict: Verdict;
  readonly evidence: readonly string[];
}

export type CheckerId =
  | 'sanity'
  | 'mutual-exclusion'
  | 'fencing-order'
  | 'open-register'
  | 'guarded-register'
  | 'exposure'
  | 'recovery'
  | 'hand-over'
  | 'service'
  | 'survival'
  | 'queue'
  | 'distance';

/** One thing that happened, as the timeline prints it. */
export interface Moment {
  /** Counted from the first grant, which is 0. */
  readonly atMs: number;
  readonly by: string;
  readonly says: string;
  readonly tone: 'plain' | 'good' | 'bad' | 'fault';
}

export interface Result {
  readonly experiment: string;
  readonly subject: string;
  readonly verdict: Verdict;
  readonly expected: Verdict;
  /** The TTL that the lock was asked for. */
  readonly ttlMs?: number;
  readonly figures: Figures;
  readonly checks: readonly Check[];
  readonly evidence: readonly Moment[];
  /** Why there is no verdict, or what decided it. */
  readonly reason?: string;
  /** How often each verdict was found, where it was run several times: this result is the first of the worst. */
  readonly rounds?: RoundCounts;
  /** What it was judged by, so that it can be judged again; left out where it is too long. */
  readonly history?: StoredHistory;
}

export interface RoundCounts {
  readonly safe: number;
  readonly unsafe: number;
  readonly unknown: number;
  /**
   * Where every round was safe: below this is the probability of damage in another one, with a confidence of 95 %. Left
   * out where the rounds are too few to say anything.
   */
  readonly unsafeBelow?: number;
}

export interface Machine {
  readonly os: string;
  readonly arch: string;
  readonly cpus: number;
  readonly node: string;
  readonly toolkit: string;
  /** The servers that the lab started: `redis 7.0.15`. */
  readonly servers: readonly string[];
}

/** An experiment, as far as somebody must know it who reads about it. */
export interface ExperimentSummary {
  readonly id: string;
  readonly question: string;
}

/** What a lock of ours states about itself. */
export type Guarantee = HoldfastGuarantee;

/** A lock that was examined. */
export interface SubjectSummary {
  readonly name: string;
  /** The kind of server that it is on, or `none`. */
  readonly server: string;
  /** Whose it is: one of Holdfast, one as people write it by hand, or a file of the user's. */
  readonly origin: 'holdfast' | 'by-hand' | 'yours';
  /** Where it was run and states one. */
  readonly guarantee?: Guarantee;
}

/** What `--json` writes, and what is kept of a run. */
export interface Run {
  readonly version: 1;
  readonly startedAt: string;
  readonly machine: Machine;
  readonly experiments: readonly ExperimentSummary[];
  readonly subjects: readonly SubjectSummary[];
  readonly results: readonly Result[];
}

/** What an experiment asks of the checks. */
export interface Rule {
  /** Whether a holder is made stale, so that `safe` needs the proof that it really tried to do damage. */
  readonly needsExposure: boolean;
  /** Whether a lock that does not come free again fails the experiment. */
  readonly needsRecovery: boolean;
  /** Whether a lock that was given back, and does not come to the one who waits, fails the experiment. */
  readonly needsHandOver?: true;
  /** Whether two who hold at once fail the experiment: the older one had all it needs to know better. */
  readonly needsExclusion?: true;
  /** Whether a lock that promises an order and does not keep it fails the experiment. */
  readonly needsOrder?: true;
}

export interface Conclusion {
  readonly verdict: Verdict;
  readonly reason: string;
}

/**
 * Could the protected data have been damaged, with what this lock offers? It offers the guarded register if it has
 * tokens and they were in order, else the open one.
 */
export function conclude(checks: readonly Check[], rule: Rule): Conclusion {
  const find = (checker: CheckerId): Check | undefined => checks.find((check) => check.checker === checker);
  const because = (verdict: Verdict, check: Check | undefined): Conclusion => ({
    verdict,
    reason: check?.evidence[0] ?? `The check ${check?.checker ?? 'of the data'} is missing.`,
  });

  const sanity = find('sanity');
  if (sanity?.verdict !== 'safe') return because('unknown', sanity);

  const tokens = find('fencing-order')?.verdict;
  const decisive = tokens === 'safe' ? find('guarded-register') : find('open-register');
  if (decisive?.verdict === 'unsafe') {
    const conclusion = because('unsafe', decisive);
    return tokens === 'unsafe'
      ? { ...conclusion, reason: `${find('fencing-order')?.evidence[0]} ${conclusion.reason}` }
      : conclusion;
  }
  const exclusion = find('mutual-exclusion');
  if (rule.needsExclusion && exclusion?.verdict !== 'safe') {
    return because(exclusion?.verdict === 'unsafe' ? 'unsafe' : 'unknown', exclusion);
  }
  // A lock that was kept, or was not given in the first place, made nobody stale.
  const survival = find('survival');
  if (survival?.verdict === 'safe') return because('safe', survival);
  if (rule.needsHandOver) {
    const handOver = find('hand-over');
    if (handOver?.verdict !== 'safe') return because(handOver?.verdict === 'unsafe' ? 'unsafe' : 'unknown', handOver);
  }
  if (rule.needsRecovery) {
    const recovery = find('recovery');
    if (recovery?.verdict !== 'safe') return because(recovery?.verdict === 'unsafe' ? 'unsafe' : 'unknown', recovery);
  }
  if (rule.needsOrder) {
    const queue = find('queue');
    if (queue?.verdict !== 'safe' && queue?.verdict !== 'not-run') {
      return because(queue?.verdict === 'unsafe' ? 'unsafe' : 'unknown', queue);
    }
  }
  if (decisive?.verdict !== 'safe') return because('unknown', decisive);
  // A token that was not shown to be in order could have let a stale write through.
  if (tokens === 'unknown' || tokens === undefined) return because('unknown', find('fencing-order'));
  if (rule.needsExposure && find('exposure')?.verdict !== 'safe') {
    // That the lock was not given, or what became of it, is the better explanation.
    const recovery = find('recovery');
    if (recovery?.verdict === 'unsafe' || recovery?.verdict === 'unknown') return because('unknown', recovery);
    return because('unknown', survival?.verdict === 'unknown' ? survival : find('exposure'));
  }
  return because('safe', decisive);
}

/** Whether it is not worth judging: then nothing that the other checks say counts, nor any figure. */
export function isVoid({ checks }: Pick<Result, 'checks'>): boolean {
  return checks.some(({ checker, verdict }) => checker === 'sanity' && verdict !== 'safe');
}

/** What an exit code says. */
export type Outcome = 'done' | 'notAsExpected' | 'unknown';

/** Something that was not as expected counts more than something that nobody knows. */
export function worseOf(...outcomes: readonly Outcome[]): Outcome {
  return outcomes.find((one) => one === 'notAsExpected') ?? outcomes.find((one) => one === 'unknown') ?? 'done';
}

/** What the exit code says about a run. */
export function outcomeOf(results: readonly Result[]): Outcome {
  const ran = results.filter((result) => result.verdict !== 'not-run');
  if (ran.some((result) => result.verdict !== 'unknown' && result.verdict !== result.expected)) return 'notAsExpected';
  return ran.some((result) => result.verdict === 'unknown') ? 'unknown' : 'done';
}
