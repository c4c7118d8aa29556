/**
 * The way of a situation through the tree, and the ways that a different answer to one single question would take.
 *
 * @module
 */
import { inEnglish, type Say } from '../messages/say.ts';
import type { AnswerId } from './answers.ts';
import { type Condition, holds, inputsOf, sidesOf } from './condition.ts';
import { count, formatMs } from './format.ts';
import { type Branch, CONTRADICTIONS, type Contradiction, type Fork, TREE } from './rules.ts';
import { type Input, QUESTIONS, type Question, type Situation, type Told } from './situation.ts';

export interface Step {
  readonly fork: Fork;
  readonly took: 'yes' | 'no';
}

export interface Way {
  readonly steps: readonly Step[];
  readonly answer: AnswerId;
}

export function wayOf(situation: Situation): Way {
  const steps: Step[] = [];
  let branch: Branch = TREE;
  while (typeof branch !== 'string') {
    const took = holds(branch.when, situation) ? 'yes' : 'no';
    steps.push({ fork: branch, took });
    branch = branch[took];
  }
  return { steps, answer: branch };
}

export function contradictionsOf(situation: Situation): readonly Contradiction[] {
  return CONTRADICTIONS.filter(({ when }) => holds(when, situation));
}

/** All forks of the tree, from the top. */
export const FORKS: readonly Fork[] = forksOf(TREE);

function forksOf(tree: Branch): readonly Fork[] {
  return typeof tree === 'string' ? [] : [tree, ...forksOf(tree.yes), ...forksOf(tree.no)];
}

/**
 * The next question that the way through the tree depends on, given what has been told so far; undefined when the answer
 * is certain. A question is passed over where no answer to it could turn the fork at which the way stands.
 */
export function nextQuestion(told: Told, complete: (told: Told) => Situation): Input | undefined {
  for (const { fork } of wayOf(complete(told)).steps) {
    for (const input of inputsOf(fork.when)) {
      if (told[input] === undefined && isOpen(fork.when, told)) return input;
    }
  }
  return undefined;
}

/** Whether what has been told leaves it open if the condition holds. */
function isOpen(condition: Condition, told: Told): boolean {
  return known(condition, told) === undefined;
}

function known(condition: Condition, told: Told): boolean | undefined {
  if ('all' in condition) return all(condition.all.map((part) => known(part, told)));
  if ('any' in condition) {
    const none = all(condition.any.map((part) => negated(known(part, told))));
    return negated(none);
  }
  if ('not' in condition) return negated(known(condition.not, told));
  if (inputsOf(condition).some((input) => told[input] === undefined)) return undefined;
  return holds(condition, told as Situation);
}

function all(parts: readonly (boolean | undefined)[]): boolean | undefined {
  if (parts.includes(false)) return false;
  return parts.includes(undefined) ? undefined : true;
}

function negated(part: boolean | undefined): boolean | undefined {
  return part === undefined ? undefined : !part;
}

/** Another answer, that one single different input would lead to. */
export interface Turn {
  readonly input: Input;
  /** What the input would have to be, as people say it. */
  readonly to: string;
  readonly value: Situation[Input];
  readonly answer: AnswerId;
  /** Where the ways part, and why the other way leads elsewhere. */
  readonly fork: string;
  readonly because: string;
}

/** Every different answer that is one input away. Situations that contradict themselves are left out. */
export function turnsOf(situation: Situation, say: Say = inEnglish): readonly Turn[] {
  const here = wayOf(situation);
  const turns: Turn[] = [];
  for (const question of QUESTIONS) {
    for (const { value, says } of otherValues(question, situation, say)) {
      const there = { ...situation, [question.input]: value };
      if (contradictionsOf(there).length > 0) continue;
      const way = wayOf(there);
      if (way.answer === here.answer) continue;
      const { fork, took } = partingOf(here, way);
      if (turns.some((turn) => turn.input === question.input && turn.to === says && turn.answer === way.answer))
        continue;
      turns.push({
        input: question.input,
        to: says,
        value,
        answer: way.answer,
        fork: fork.id,
        because: say(fork.because[took]),
      });
    }
  }
  return turns;
}

/** The first fork at which the second way leaves the first. */
export function partingOf(one: Way, other: Way): Step {
  for (const [index, step] of other.steps.entries()) {
    if (one.steps[index]?.took !== step.took) return step;
  }
  throw new RangeError('These are one and the same way.');
}

const SIDES = {
  above: 'above {limit}',
  below: 'below {limit}',
  'or more': '{limit} or more',
  'or less': '{limit} or less',
} as const;

interface OtherValue {
  readonly value: Situation[Input];
  readonly says: string;
}

function otherValues(question: Question, situation: Situation, say: Say): readonly OtherValue[] {
  const { input } = question;
  if (question.kind === 'choice') {
    return question.options
      .filter(({ value }) => value !== situation[input])
      .map(({ value }) => ({ value: value as Situation[Input], says: value }));
  }
  if (question.kind === 'list') {
    const present: readonly string[] = situation[question.input];
    return question.options.map(({ value }) =>
      present.includes(value)
        ? {
            value: present.filter((one) => one !== value) as unknown as Situation[Input],
            says: say('without {value}', { value }),
          }
        : { value: [...present, value] as unknown as Situation[Input], says: say('with {value}', { value }) },
    );
  }
  const now = situation[question.input];
  const figure = (value: number): string => (question.kind === 'rate' ? `${count(value)}/s` : formatMs(value));
  return FORKS.flatMap(({ when }) => sidesOf(when, question.input, situation))
    .filter(({ value }) => value !== now && value >= question.least)
    .sort((one, other) => Math.abs(one.value - now) - Math.abs(other.value - now))
    .map(({ value, limit, is }) => ({
      value,
      says: say(SIDES[is], { limit: figure(limit) }),
    }));
}
