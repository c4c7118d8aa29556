/**
 * What each backend states about itself, held against what a check-up found. A statement is refuted by one
 * counter-example, and confirmed by a run that could have been one and was not.
 *
 * @module
 */
import { queue } from './checkers/queue.ts';
import type { Experiment } from './experiment.ts';
import { experiments } from './experiments/all.ts';
import { span } from './format.ts';
import type { Guarantee, Result, Run, SubjectSummary } from './result.ts';

export type About = keyof Guarantee;

/**
 * `unconfirmed`: an experiment could tell, and was not run or has no verdict. `beyond`: no experiment of the lab can
 * tell. `nothing`: nothing is promised. `needed`: an assumption without which two held at once.
 */
export type Finding = 'confirmed' | 'refuted' | 'unconfirmed' | 'beyond' | 'nothing' | 'needed';

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

/** All statements of the locks that were run, in the order of the subjects. */
export function claimsOf(run: Pick<Run, 'subjects' | 'results'>): readonly Claim[] {
  return run.subjects.flatMap((subject) => {
    const { name, guarantee } = subject;
    if (!guarantee) return [];
    const results = run.results.filter((result) => result.subject === name && result.verdict !== 'not-run');
    const claim = (about: About, opinion: Opinion): Claim => ({
      subject: name,
      about,
      stated: guarantee[about],
      ...opinion,
    });
    return [
      claim('liveness', liveness(guarantee, results)),
      claim('survivesFailover', survivesFailover(guarantee, results, subject)),
      claim('fencing', fencing(guarantee, results, subject)),
      claim('fairness', fairness(guarantee, results, subject)),
      claim('clockAssumption', clockAssumption(results)),
    ];
  });
}

/** Whether every statement that the lab can confirm was confirmed. */
export function areConfirmed(claims: readonly Claim[]): boolean {
  return claims.every(({ finding }) => finding !== 'refuted' && finding !== 'unconfirmed');
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
  return first ? { finding: 'confirmed', by, says: said(first) } : unconfirmed(['crash']);
}

function survivesFailover(
  { survivesFailover: stated }: Guarantee,
  results: readonly Result[],
  { server }: SubjectSummary,
): Opinion {
  if (stated !== 'yes') {
    const broken = results.find(
      (result) => result.experiment.startsWith('failover') && verdictOf(result, 'mutual-exclusion') === 'unsafe',
    );
    const says = broken
      ? `${broken.experiment}: two holders at once, which it does not exclude.`
      : 'Nothing is promised.';
    return { finding: 'nothing', by: broken ? [broken.experiment] : [], says };
  }
  const seen = results.filter(({ figures }) => figures.lockKept !== undefined);
  const by = seen.map(({ experiment }) => experiment);
  const lost = seen.find(({ figures }) => !figures.lockKept);
  if (lost) return { finding: 'refuted', by, says: `${lost.experiment}: the lock was lost.` };
  if (seen.length > 0) return { finding: 'confirmed', by, says: `${by.join(', ')}: the lock was kept.` };
  return unconfirmed([server === 'zookeeper' ? 'zk-session' : 'etcd-leader']);
}

function fencing({ fencing: stated }: Guarantee, results: readonly Result[], { server }: SubjectSummary): Opinion {
  if (stated === 'none') return { finding: 'nothing', by: [], says: 'Nothing is promised.' };
  const back = results.find((result) => verdictOf(result, 'fencing-order') === 'unsafe');
  if (back) return { finding: 'refuted', by: [back.experiment], says: evidenceOf(back, 'fencing-order') };
  const by = results.filter((result) => verdictOf(result, 'fencing-order') === 'safe').map((one) => one.experiment);
  // Where a failover forgets the counter, only a failover can tell.
  const needsFailover = stated === 'counter-and-server-clock' && server === 'redis';
  if (by.length === 0 || (needsFailover && !by.some((id) => id.startsWith('failover')))) {
    return unconfirmed([needsFailover ? 'failover' : 'crash']);
  }
  const beyond = stated === 'counter-and-durable-floor' ? ' No experiment cuts the power.' : '';
  return { finding: 'confirmed', by, says: `Tokens grew in ${by.join(', ')}.${beyond}` };
}

function fairness({ fairness: stated }: Guarantee, results: readonly Result[], { server }: SubjectSummary): Opinion {
  if (stated === 'none') return { finding: 'nothing', by: [], says: 'Nothing is promised.' };
  const looks = (experiment: Experiment): boolean =>
    experiment.checkers.includes(queue) && (experiment.kinds ?? []).some((kind) => kind === server);
  const able = experiments.filter(looks);
  const [first] = able;
  if (!first) return { finding: 'beyond', by: [], says: 'No experiment looks at the order of waiters there.' };
  const seen = results.filter(({ experiment }) => able.some(({ id }) => id === experiment));
  const by = seen.map(({ experiment }) => experiment);
  const broken = seen.find((result) => verdictOf(result, 'queue') === 'unsafe');
  if (broken) return { finding: 'refuted', by, says: evidenceOf(broken, 'queue') };
  const kept = seen.filter((result) => verdictOf(result, 'queue') === 'safe').map(({ experiment }) => experiment);
  return kept.length > 0
    ? { finding: 'confirmed', by, says: `${kept.join(', ')}: served as they came.` }
    : unconfirmed([first.id]);
}

/** It is no promise, so nothing can refute it; but the lab can show what happens where it does not hold. */
function clockAssumption(results: readonly Result[]): Opinion {
  const broken = results.find(
    (result) => /^clock(-|$)/.test(result.experiment) && verdictOf(result, 'mutual-exclusion') === 'unsafe',
  );
  return broken
    ? { finding: 'needed', by: [broken.experiment], says: `${broken.experiment}: without it, two holders at once.` }
    : { finding: 'beyond', by: [], says: 'No experiment of this run broke it.' };
}

function unconfirmed(ids: readonly string[]): Opinion {
  return { finding: 'unconfirmed', by: [], says: `${ids.join(', ')} would tell, and has not.` };
}

function verdictOf({ checks }: Result, checker: Result['checks'][number]['checker']): string | undefined {
  return checks.find((check) => check.checker === checker)?.verdict;
}

function evidenceOf({ experiment, checks }: Result, checker: Result['checks'][number]['checker']): string {
  return `${experiment}: ${checks.find((check) => check.checker === checker)?.evidence[0] ?? 'no evidence.'}`;
}
