/**
 * From a situation to advice: one pure function. It walks the tree (`rules.ts`) and puts together what stands at its end
 * (`answers.ts`).
 *
 * @module
 */
import { ANSWERS, type Answer, type AnswerId, DUTIES, type Note, type Risk } from './answers.ts';
import { codeFor, type Snippet } from './code.ts';
import { holds } from './condition.ts';
import { count, formatMs } from './format.ts';
import { aboutTheBench, type Measured, measuredLines } from './measured.ts';
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
export function advise(told: Told, bench?: Measured): Advice {
  const { situation, assumed } = complete(told);
  const contradictions = contradictionsOf(situation);
  if (contradictions.length > 0) throw new ContradictionError(contradictions);

  const { answer, steps } = wayOf(situation);
  const { title, backend, summary, setUp, cost, risks } = ANSWERS[answer];
  const settings = backend === undefined ? undefined : settingsFor(backend, situation);
  const shown = <N extends Note>(notes: readonly N[]): readonly N[] =>
    notes.filter(({ when }) => when === undefined || holds(when, situation));
  return {
    version: 1,
    answer,
    title,
    lock: isLock(ANSWERS[answer]),
    summary,
    reasons: steps.filter(({ fork, took }) => took === 'yes' || fork.tellsNo === true).map(reasonOf),
    settings: settings ?? null,
    code: codeFor(answer, backend, settings, situation),
    setUp: shown(setUp),
    cost: [...shown(cost), ...oneLine(ANSWERS[answer], situation)],
    measured: measuredOn(bench, ANSWERS[answer], situation),
    risks: [...(settings === undefined ? [] : timingRisks(settings, situation)), ...shown(risks)],
    duties: isLock(ANSWERS[answer]) ? shown(DUTIES) : [],
    turns: turnsOf(situation).map((turn) => ({ ...turn, title: ANSWERS[turn.answer].title })),
    situation,
    assumed,
  };
}

function isLock({ backend }: Answer): boolean {
  return backend !== undefined && backend !== 'memory';
}

function reasonOf({ fork, took }: Step): Reason {
  return { fork: fork.id, says: fork.says, took, because: fork.because[took] };
}

/** What one lock lets through, whatever holds it. */
function oneLine(answer: Answer, { protects, holdMs, peakPerSecond }: Situation): readonly Note[] {
  if (!isLock(answer) || protects !== 'data' || holdMs <= 0) return [];
  const through = 1_000 / holdMs;
  const lines = Math.ceil(peakPerSecond / through);
  const most = `Held for ${formatMs(holdMs)}, one lock lets at most ${count(through)} holders a second through`;
  return [
    {
      text:
        lines <= 1
          ? `${most}.`
          : `${most}: the peak of ${count(peakPerSecond)}/s needs ${count(lines)} different locks at least.`,
    },
  ];
}

function measuredOn(bench: Measured | undefined, { backend }: Answer, situation: Situation): Advice['measured'] {
  if (bench === undefined || backend === undefined) return null;
  return { about: aboutTheBench(bench), lines: measuredLines(bench, backend, situation.peakPerSecond) };
}

function timingRisks(settings: Settings, { pauseMs, freeWithinMs }: Situation): readonly Risk[] {
  const risks: Risk[] = [];
  if (pauseMs > settings.ridesOutMs) {
    risks.push({
      text: `The longest pause (${formatMs(pauseMs)}) is more than this lease rides out for certain (${formatMs(settings.ridesOutMs)}): such a holder loses the lock.`,
      remedy: `The check at the resource, below; or a TTL of ${formatMs(Math.ceil((pauseMs * 5) / 3 / 1_000) * 1_000)} and more, at the price of waiting that long for a holder that has died.`,
    });
  }
  if (settings.freeAfterMs > freeWithinMs) {
    risks.push({
      text: `The lock of a killed holder may be free only after ${formatMs(settings.freeAfterMs)}, and not within ${formatMs(freeWithinMs)}: its server gives no shorter TTL as it is delivered.`,
      remedy: 'A backend that frees at once (the embedded file, a session lock), or a server with shorter ticks.',
    });
  }
  return risks;
}
