/**
 * From a situation to advice: one pure function. It walks the tree (`rules.ts`) and puts together what stands at its end
 * (`answers.ts`).
 *
 * @module
 */
import { inEnglish, type Say } from '../messages/say.ts';
import { ANSWERS, type Answer, type AnswerId, DUTIES, type Note, type Risk } from './answers.ts';
import type { BenchFigures } from './bench-figures.ts';
import { codeFor, type Snippet, withComments } from './code.ts';
import { holds } from './condition.ts';
import { count, formatMs } from './format.ts';
import { aboutTheBench, measuredLines } from './measured.ts';
import { LIMITS, NO_TIME_FOR_A_MAJORITY } from './rules.ts';
import { type Settings, settingsFor } from './settings.ts';
import { complete, type Input, type Situation, type Told } from './situation.ts';
import type { Step } from './way.ts';
import { contradictionsOf, type Turn, turnsOf, wayOf } from './way.ts';

export interface Reason {
  readonly fork: string;
  readonly says: string;
  readonly took: 'yes' | 'no';
  readonly because: string;
}

export interface Advice {
  readonly version: 1;
  readonly answer: AnswerId;
  readonly title: string;
  /** False: something else than a distributed lock is better. */
  readonly lock: boolean;
  readonly summary: string;
  readonly reasons: readonly Reason[];
  readonly settings: Settings | null;
  readonly code: readonly Snippet[];
  readonly setUp: readonly Note[];
  readonly cost: readonly Note[];
  readonly measured: { readonly about: string; readonly lines: readonly string[] } | null;
  readonly risks: readonly Risk[];
  readonly duties: readonly Note[];
  readonly turns: readonly (Turn & { readonly title: string })[];
  readonly situation: Situation;
  /** Inputs that nobody has given. */
  readonly assumed: readonly Input[];
}

/** The inputs contradict each other. Each line of `reasons` says what, and what to say instead. */
export class ContradictionError extends Error {
  override readonly name = 'ContradictionError';
  readonly ids: readonly string[];

  constructor(contradictions: readonly { readonly id: string; readonly says: string }[]) {
    super(contradictions.map(({ says }) => says).join(' '));
    this.ids = contradictions.map(({ id }) => id);
  }
}

/** The advice for what has been told; the rest is assumed, and named. Throws `ContradictionError`. */
export function advise(told: Told, bench?: BenchFigures, say: Say = inEnglish): Advice {
  const { situation, assumed } = complete(told);
  const contradictions = contradictionsOf(situation).map(({ id, says }) => ({ id, says: say(says) }));
  if (contradictions.length > 0) throw new ContradictionError(contradictions);

  const { answer, steps } = wayOf(situation);
  const { title, backend, summary, setUp, cost, risks } = ANSWERS[answer];
  const settings = backend === undefined ? undefined : settingsFor(backend, situation);
  const shown = <N extends Note>(notes: readonly N[]): readonly N[] =>
    notes.filter(({ when }) => when === undefined || holds(when, situation)).map((note) => said(note, say));
  return {
    version: 1,
    answer,
    title: say(title),
    lock: isLock(ANSWERS[answer]),
    summary: say(summary),
    reasons: steps
      .filter(({ fork, took }) => took === 'yes' || fork.tellsNo === true)
      .map((step) => reasonOf(step, say)),
    settings: settings ?? null,
    code: codeFor(answer, backend, settings, situation).map((snippet) => withComments(snippet, say)),
    setUp: shown(setUp),
    cost: [...shown(cost), ...oneLine(ANSWERS[answer], situation, say)],
    measured: measuredOn(bench, ANSWERS[answer], situation, say),
    risks: [
      ...(settings === undefined ? [] : timingRisks(settings, situation, say)),
      ...budgetRisks(backend, situation, say),
      ...shown(risks),
    ],
    duties: settings !== undefined && isLock(ANSWERS[answer]) ? [...shown(DUTIES), notToBlock(settings, say)] : [],
    turns: turnsOf(situation, say).map((turn) => ({ ...turn, title: say(ANSWERS[turn.answer].title) })),
    situation,
    assumed,
  };
}

function isLock({ backend }: Answer): boolean {
  return backend !== undefined && backend !== 'memory';
}

function reasonOf({ fork, took }: Step, say: Say): Reason {
  return { fork: fork.id, says: say(fork.says), took, because: say(fork.because[took]) };
}

/** A note, or a risk with its remedy, in that language. */
function said<N extends Note>(note: N, say: Say): N {
  return { ...note, text: say(note.text), ...('remedy' in note ? { remedy: say(String(note.remedy)) } : {}) };
}

/** What one lock lets through, whatever holds it. */
function oneLine(answer: Answer, { protects, holdMs, peakPerSecond }: Situation, say: Say): readonly Note[] {
  if (!isLock(answer) || protects !== 'data' || holdMs <= 0) return [];
  const through = 1_000 / holdMs;
  const lines = Math.ceil(peakPerSecond / through);
  const values = { span: formatMs(holdMs), n: count(through), peak: count(peakPerSecond), lines: count(lines) };
  return [
    {
      text:
        lines <= 1
          ? say('Held for {span}, one lock lets at most {n} holders a second through.', values)
          : say(
              'Held for {span}, one lock lets at most {n} holders a second through: the peak of {peak}/s needs {lines} different locks at least.',
              values,
            ),
    },
  ];
}

function measuredOn(
  bench: BenchFigures | undefined,
  { backend }: Answer,
  situation: Situation,
  say: Say,
): Advice['measured'] {
  if (bench === undefined || backend === undefined) return null;
  return { about: aboutTheBench(bench, say), lines: measuredLines(bench, backend, situation.peakPerSecond, say) };
}

function timingRisks(settings: Settings, { pauseMs, freeWithinMs }: Situation, say: Say): readonly Risk[] {
  const risks: Risk[] = [];
  if (pauseMs > settings.ridesOutMs) {
    risks.push({
      text: say(
        'The longest pause ({pause}) is more than this lease rides out for certain ({span}): such a holder loses the lock.',
        { pause: formatMs(pauseMs), span: formatMs(settings.ridesOutMs) },
      ),
      remedy: say(
        'The check at the resource, below; or a TTL of {span} and more, at the price of waiting that long for a holder that has died.',
        { span: formatMs(Math.ceil((pauseMs * 5) / 3 / 1_000) * 1_000) },
      ),
    });
  }
  if (settings.freeAfterMs > freeWithinMs) {
    risks.push({
      text: say(
        'The lock of a killed holder may be free only after {span}, and not within {wished}: its server gives no shorter TTL as it is delivered.',
        { span: formatMs(settings.freeAfterMs), wished: formatMs(freeWithinMs) },
      ),
      remedy: say('A backend that frees at once (the embedded file, a session lock), or a server with shorter ticks.'),
    });
  }
  return risks;
}

/** Where a failure is an incident, time is no reason to leave the servers that agree; so what is not met is said. */
function budgetRisks(backend: Answer['backend'], situation: Situation, say: Say): readonly Risk[] {
  if ((backend !== 'etcd' && backend !== 'zookeeper') || !holds(NO_TIME_FOR_A_MAJORITY, situation)) return [];
  const least = situation.runsOn === 'several-regions' ? LIMITS.consensusAcrossRegionsMs : LIMITS.consensusMs;
  return [
    {
      text: say(
        'A free lock is wanted within {wished}, and servers that agree by majority need {least} and more: that is not met.',
        {
          wished: formatMs(situation.budgetMs),
          least: formatMs(least),
        },
      ),
      remedy: say(
        'Wait longer rather than take a lock that can be given to two. Or take the lock before its holder needs it, keep one lease for many acts, or let the resource compare a fencing token: then a fast lock on Redis does no harm.',
      ),
      see: 'docs/bench-all.md',
    },
  ];
}

/** The watchdog lives in the process that it renews for. */
function notToBlock({ ridesOutMs }: Settings, say: Say): Note {
  return {
    text: say(
      'Let nothing under the lock block its process for longer than {span}: what cannot run cannot renew. Longer computations go to a worker thread, or are done in pieces.',
      { span: formatMs(ridesOutMs) },
    ),
    see: 'docs/concepts/leases.md',
  };
}
