/**
 * What each backend states about itself, held against what a check-up found. A statement is refuted by one
 * counter-example, and confirmed by a run that could have been one and was not.
 *
 * @module
 */
import { queue } from './checkers/queue.ts';
import { experiments } from './experiments/all.ts';
import { span } from './format.ts';
import { type Guarantee, isVoid, type Outcome, type Result, type Run, type SubjectSummary } from './result.ts';

export type About = keyof Guarantee;

/**
 * `unconfirmed`: the experiment that would tell was not chosen. `undecided`: it was run, and did not tell. `not-run`: it
 * could not be run with this lock, or here. `nothing`: nothing is promised. `needed`: an assumption without which two held
 * at once.
 */
export type Finding = 'confirmed' | 'refuted' | 'unconfirmed' | 'undecided' | 'not-run' | 'nothing' | 'needed';

export interface Claim {
  readonly subject: string;
  readonly about: About;
  readonly stated: string;
  readonly finding: Finding;
  /** The experiments that it was held against. */
  readonly by: readonly string[];
  /** What decided, or what would. */
  readonly says: string;
}

/** How much later than it is stated a lock may be free: the rival asks now and then, and the machine is busy. */
const SLACK_MS = 1_000;

/** All statements of the locks that were run, in the order of the subjects. An experiment may have several results. */
export function claimsOf(run: Pick<Run, 'subjects' | 'results'>): readonly Claim[] {
  return run.subjects.flatMap((subject) => {
    const { name, guarantee } = subject;
    if (!guarantee) return [];
    const results = run.results.filter((result) => result.subject === name).map(withoutVoid);
    const claim = (about: About, opinion: Opinion): Claim => ({
      subject: name,
      about,
      stated: guarantee[about],
      ...opinion,
      by: [...new Set(opinion.by)],
    });
    return [
      claim('liveness', liveness(guarantee, results)),
      claim('survivesFailover', survivesFailover(guarantee, results, subject)),
      claim('fencing', fencing(guarantee, results, subject)),
      claim('fairness', fairness(guarantee, results)),
      claim('clockAssumption', clockAssumption(results)),
    ];
  });
}

/** Of a void run neither figures nor checks mean anything: it refutes nothing, and confirms nothing. */
function withoutVoid(result: Result): Result {
  return isVoid(result) ? { ...result, figures: {}, checks: [] } : result;
}

/** Ours that could not be run at all, so that nobody knows what they state; with the reason. */
export function unexamined(
  run: Pick<Run, 'subjects' | 'results'>,
): readonly { readonly subject: string; readonly reason: string }[] {
  return run.subjects.flatMap(({ name, origin, guarantee }) => {
    if (origin !== 'holdfast' || guarantee) return [];
    const result = run.results.find(({ subject, reason }) => subject === name && reason !== undefined);
    return [{ subject: name, reason: result?.reason ?? '' }];
  });
}

/** What the exit code says about them: a statement that was to be confirmed, and was not, is no success. */
export function outcomeOfClaims(claims: readonly Claim[]): Outcome {
  const findings = new Set(claims.map(({ finding }) => finding));
  if (findings.has('refuted') || findings.has('unconfirmed')) return 'notAsExpected';
  return findings.has('undecided') ? 'unknown' : 'done';
}

type Opinion = Pick<Claim, 'finding' | 'by' | 'says'>;

const LIMIT_IN_TTLS: Readonly<Record<Guarantee['liveness'], number>> = {
  'at-once': 0.5,
  'after-ttl': 1,
  'after-up-to-two-ttl': 2,
};

/** In these a holder is killed; in the second, the leader that counts its time as well. */
const KILLED: readonly string[] = ['crash', 'etcd-lease'];
const KILLED_WITH_LEADER: readonly string[] = ['etcd-leader-crash', 'zk-session-crash'];

function liveness({ liveness: stated }: Guarantee, results: readonly Result[]): Opinion {
  const ids = stated === 'after-up-to-two-ttl' ? [...KILLED, ...KILLED_WITH_LEADER] : KILLED;
  const measured = results.flatMap(({ experiment, ttlMs, figures: { recoveryMs }, checks }) => {
    const isStuck = checks.some(({ checker, verdict }) => checker === 'recovery' && verdict === 'unsafe');
    if (!ids.includes(experiment) || ttlMs === undefined || (recoveryMs === undefined && !isStuck)) return [];
    const limitMs = LIMIT_IN_TTLS[stated] * ttlMs + (stated === 'at-once' ? 0 : SLACK_MS);
    return [{ experiment, ttlMs, tookMs: isStuck ? undefined : recoveryMs, limitMs }];
  });
  const by = measured.map(({ experiment }) => experiment);
  const said = ({ experiment, ttlMs, tookMs }: (typeof measured)[number]): string =>
    `${experiment}: ${tookMs === undefined ? 'not free' : `free after ${span(tookMs)}`} with a TTL of ${span(ttlMs)}.`;
  const late = measured.find(({ tookMs = Number.POSITIVE_INFINITY, limitMs }) => tookMs > limitMs);
  if (late) return { finding: 'refuted', by, says: said(late) };
  const [first] = measured;
  return first ? { finding: 'confirmed', by, says: said(first) } : open('crash', results);
}

/** In these a server gives way to another, which may not know what it knew. */
const FAILOVER = /^(failover|replica|cluster-failover)(-|$)/;

/** In these the clock of a server is another one than before. */
const CLOCK = /(^|-)clock(-|$)/;

function survivesFailover(
  { survivesFailover: stated }: Guarantee,
  results: readonly Result[],
  { server }: SubjectSummary,
): Opinion {
  if (stated !== 'yes') {
    const broken = results.find(
      (result) => FAILOVER.test(result.experiment) && verdictOf(result, 'mutual-exclusion') === 'unsafe',
    );
    const says = broken
      ? `${broken.experiment}: two holders at once, which it does not exclude.`
      : 'Nothing is promised.';
    return { finding: 'nothing', by: broken ? [broken.experiment] : [], says };
  }
  const seen = results.filter(({ experiment, figures }) => figures.lockKept !== undefined && !CLOCK.test(experiment));
  const by = seen.map(({ experiment }) => experiment);
  const lost = seen.find(({ figures }) => !figures.lockKept);
  if (lost) return { finding: 'refuted', by, says: `${lost.experiment}: the lock was lost.` };
  if (seen.length > 0) return { finding: 'confirmed', by, says: `${listOf(by)}: the lock was kept.` };
  return open(server === 'zookeeper' ? 'zk-session' : 'etcd-leader', results);
}

function fencing({ fencing: stated }: Guarantee, results: readonly Result[], { server }: SubjectSummary): Opinion {
  if (stated === 'none') return { finding: 'nothing', by: [], says: 'Nothing is promised.' };
  // What a clock does to tokens is a matter of what is assumed of clocks.
  const back = results.find((one) => !CLOCK.test(one.experiment) && verdictOf(one, 'fencing-order') === 'unsafe');
  if (back) return { finding: 'refuted', by: [back.experiment], says: evidenceOf(back, 'fencing-order') };
  const by = results.filter((result) => verdictOf(result, 'fencing-order') === 'safe').map((one) => one.experiment);
  // Where a failover forgets the counter, only a failover can tell.
  const needsFailover = stated === 'counter-and-server-clock' && server === 'redis';
  if (by.length === 0 || (needsFailover && !by.some((id) => FAILOVER.test(id)))) {
    return open(needsFailover ? 'failover' : 'crash', results);
  }
  const beyond = stated === 'counter-and-durable-floor' ? ' No experiment cuts the power.' : '';
  return { finding: 'confirmed', by, says: `Tokens grew in ${listOf(by)}.${beyond}` };
}

function fairness({ fairness: stated }: Guarantee, results: readonly Result[]): Opinion {
  if (stated === 'none') return { finding: 'nothing', by: [], says: 'Nothing is promised.' };
  const able = experiments.filter(({ checkers }) => checkers.includes(queue)).map(({ id }) => id);
  const seen = results.filter(({ experiment }) => able.includes(experiment));
  const by = seen.map(({ experiment }) => experiment);
  // More may have been woken than could have it, which is another matter than the order.
  const isInOrder = (result: Result): boolean =>
    verdictOf(result, 'queue') === 'safe' || result.figures.inversions === 0;
  const broken = seen.find((result) => verdictOf(result, 'queue') === 'unsafe' && !isInOrder(result));
  if (broken) return { finding: 'refuted', by, says: evidenceOf(broken, 'queue') };
  const kept = seen.filter(isInOrder).map(({ experiment }) => experiment);
  return kept.length > 0
    ? { finding: 'confirmed', by, says: `${listOf(kept)}: served as they came.` }
    : open(by[0] ?? 'herd', results);
}

/** What no date ends is kept when a date jumps: who assumes nothing of dates can be refuted by it. */
const CLOCK_KEPT = 'clock-kept';

/** It is no promise, so nothing can refute it; but the lab can show what happens where it does not hold. */
function clockAssumption(results: readonly Result[]): Opinion {
  const inClocks = results.filter(({ experiment }) => CLOCK.test(experiment));
  // Where a replica has the other clock, the failover alone makes two.
  const two = inClocks.find((one) => !FAILOVER.test(one.experiment) && verdictOf(one, 'mutual-exclusion') === 'unsafe');
  if (two)
    return { finding: 'needed', by: [two.experiment], says: `${two.experiment}: without it, two holders at once.` };
  const back = inClocks.find((one) => verdictOf(one, 'fencing-order') === 'unsafe');
  if (back) return { finding: 'needed', by: [back.experiment], says: `${back.experiment}: otherwise tokens go back.` };
  const kept = inClocks.filter(
    ({ experiment, figures }) => experiment === CLOCK_KEPT && figures.lockKept !== undefined,
  );
  if (kept.some(({ figures }) => !figures.lockKept)) {
    return { finding: 'refuted', by: [CLOCK_KEPT], says: `${CLOCK_KEPT}: the lock was lost.` };
  }
  if (kept.length > 0) {
    return {
      finding: 'confirmed',
      by: [CLOCK_KEPT],
      says: `${CLOCK_KEPT}: no date is assumed; it jumped, and the lock was kept.`,
    };
  }
  return { finding: 'nothing', by: [], says: 'No experiment of this run broke it.' };
}

/** What is to be said where nothing has decided: whether the experiment that would tell was chosen at all. */
function open(id: string, results: readonly Result[]): Opinion {
  const chosen = results.find(({ experiment }) => experiment === id);
  if (!chosen) return { finding: 'unconfirmed', by: [], says: `${id} would tell, and was not chosen.` };
  const { verdict, reason = '' } = chosen;
  return verdict === 'not-run'
    ? { finding: 'not-run', by: [], says: `${id} was not run: ${reason}` }
    : { finding: 'undecided', by: [], says: `${id} was run, and does not tell.` };
}

/** Each once, however often it was run. */
function listOf(experiments: readonly string[]): string {
  return [...new Set(experiments)].join(', ');
}

function verdictOf({ checks }: Result, checker: Result['checks'][number]['checker']): string | undefined {
  return checks.find((check) => check.checker === checker)?.verdict;
}

function evidenceOf({ experiment, checks }: Result, checker: Result['checks'][number]['checker']): string {
  return `${experiment}: ${checks.find((check) => check.checker === checker)?.evidence[0] ?? 'no evidence.'}`;
}
