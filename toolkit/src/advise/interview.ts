/**
 * The questions on a terminal: only those that the answer depends on, in the order in which the tree needs them, each with
 * what is taken if one just presses Enter.
 *
 * @module
 */
import { inEnglish, type Say } from '../messages/say.ts';
import { ANSWERS } from './answers.ts';
import { holds, inputsOf } from './condition.ts';
import { count, formatMs } from './format.ts';
import { CONTRADICTIONS } from './rules.ts';
import { assumed, complete, type Input, type Question, questionOf, type Situation, type Told } from './situation.ts';
import { checked, parseRate, parseTime } from './told.ts';
import { nextQuestion, wayOf } from './way.ts';

export interface Dialogue {
  /** One line of answer; undefined when there is none any more. */
  ask(prompt: string): Promise<string | undefined>;
  say(line: string): void;
}

/** What makes sense of a question is asked before it. */
const BEFORE: { readonly [I in Input]?: readonly Input[] } = {
  peakPerSecond: ['usualPerSecond'],
  peakOnOneName: ['usualPerSecond', 'peakPerSecond'],
};

/** Asks until the answer is certain, and then what its settings and its code depend on. Undefined when the input ends. */
export async function interview(dialogue: Dialogue, say: Say = inEnglish): Promise<Told | undefined> {
  let told: Told = {};
  for (;;) {
    const input = next(told);
    if (input === undefined) return told;
    const question = questionOf(input);
    const usual = assumed(input, told);
    showQuestion(dialogue, question, usual, say);
    const line = await dialogue.ask(`${promptFor(question, usual, say)}> `);
    if (line === undefined) return undefined;
    try {
      const candidate = { ...told, [input]: line.trim() === '' ? usual : parseAnswer(question, line.trim(), say) };
      const objection = objectionTo(candidate, input);
      if (objection === undefined) told = candidate;
      else dialogue.say(`  ${say(objection)}`);
    } catch (error) {
      dialogue.say(`  ${error instanceof Error ? error.message : String(error)}`);
    }
    dialogue.say('');
  }
}

function next(told: Told): Input | undefined {
  if (told.protects === undefined) return 'protects';
  const wanted = nextQuestion(told, (known) => complete(known).situation) ?? followUp(told);
  return wanted === undefined
    ? undefined
    : [...(BEFORE[wanted] ?? []), wanted].find((input) => told[input] === undefined);
}

function followUp(told: Told): Input | undefined {
  const { situation } = complete(told);
  const { backend } = ANSWERS[wayOf(situation).answer];
  if (backend === undefined || backend === 'memory') return undefined;
  const inputs: readonly Input[] = [
    'resource',
    'writesTo',
    ...(situation.protects === 'data' ? (['peakPerSecond', 'holdMs'] as const) : []),
    'pauseMs',
    'freeWithinMs',
    ...(backend === 'etcd' || backend === 'zookeeper' ? (['budgetMs'] as const) : []),
  ];
  return inputs.find((input) => told[input] === undefined);
}

/** What contradicts this answer, as soon as all that it contradicts has been said. */
function objectionTo(told: Told, input: Input): string | undefined {
  return CONTRADICTIONS.find(({ when }) => {
    const inputs = inputsOf(when);
    return inputs.includes(input) && inputs.every((one) => told[one] !== undefined) && holds(when, told as Situation);
  })?.says;
}

function showQuestion(dialogue: Dialogue, question: Question, usual: unknown, say: Say): void {
  dialogue.say(say(question.ask));
  if (question.kind !== 'choice' && question.kind !== 'list') return;
  const wide = Math.max(...question.options.map(({ value }) => value.length));
  for (const [index, { value, label }] of question.options.entries()) {
    const mark = question.kind === 'choice' && value === usual ? '*' : ' ';
    dialogue.say(`  ${mark} ${index + 1}  ${value.padEnd(wide)}  ${say(label)}`);
  }
}

function promptFor(question: Question, usual: unknown, say: Say): string {
  if (question.kind === 'rate') return `  ${say('a second')} [${count(usual as number)}]`;
  if (question.kind === 'duration')
    return `  ${say('such as 500ms or 30s')} [${formatMs(usual as number).replace(' ', '')}]`;
  if (question.kind === 'choice') return `  [${usual}]`;
  const values = usual as readonly string[];
  return `  ${say('several, with commas')} [${values.length === 0 ? 'none' : values.join(',')}]`;
}

/** By number or by name. */
function parseAnswer(question: Question, line: string, say: Say): unknown {
  const check = (value: unknown, called: string): unknown => checked(question, value, called, say);
  if (question.kind === 'rate') return check(parseRate(say('The rate'), line.replace(/,/g, ''), say), say('The rate'));
  if (question.kind === 'duration') return check(parseTime(say('The time'), line, say), say('The time'));
  const named = (text: string): string => question.options[Number(text) - 1]?.value ?? text;
  if (question.kind === 'choice') return check(named(line), say('The answer'));
  const values = line === 'none' ? [] : line.split(/[,，、\s]+/).filter((text) => text !== '');
  return check(values.map(named), say('Each answer'));
}
