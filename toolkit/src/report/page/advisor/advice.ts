/**
 * The answer of the advisor: what is recommended and why, its settings and code, what it costs, what remains unsafe, and
 * which single different input would make it another answer.
 *
 * @module
 */
import type { Advice } from '../../../advise/advice.ts';
import { sayAgain } from '../../../advise/advice-text.ts';
import { ANSWERS, type Note } from '../../../advise/answers.ts';
import { type Input, questionOf, type Situation, type Told } from '../../../advise/situation.ts';
import { neighboursOf, settingsText, unmeasured } from '../../../advise/wording.ts';
import type { Say } from '../../../messages/say.ts';
import type { Speech } from '../../../messages/speech.ts';
import { type Child, h } from '../dom.ts';

interface Context {
  readonly speech: Speech;
  readonly say: Say;
  readonly told: Told;
  /** The experiments of this page: what they show is one click away. */
  readonly experiments: ReadonlySet<string>;
  readonly tell: (input: Input, value: unknown) => void;
}

export function adviceView(advice: Advice, context: Context): HTMLElement[] {
  const { speech, say } = context;
  const { lock, code, setUp, risks, duties } = advice;
  return [
    h('p', { class: 'muted' }, speech.text(lock ? 'recommended' : 'betterThanALock')),
    h('p', { class: 'headline', id: 'advice-title' }, advice.title),
    h('p', {}, ...quoted(advice.summary)),
    section(say('Why'), list(advice.reasons.map(({ because }) => [because]))),
    advice.settings !== null && lock && section(say('Settings'), h('p', {}, settingsText(advice.settings, say))),
    ...code.map(({ title, text }) =>
      section(title, h('pre', { tabindex: '0', 'aria-label': title }, h('code', {}, text))),
    ),
    setUp.length > 0 && section(lock ? say('First') : say('Instead'), notes(setUp, context)),
    risks.length > 0 &&
      section(
        lock ? say('What remains unsafe, and what the business does about it') : say('What to look out for'),
        h(
          'ul',
          { class: 'risks' },
          ...risks.map(({ text, remedy, see }) =>
            h(
              'li',
              {},
              h('p', { class: 'risk' }, ...quoted(text)),
              h('p', { class: 'remedy' }, ...quoted(remedy), ...reference(see, context)),
            ),
          ),
          ...duties.map(({ text, see }) =>
            h('li', {}, h('p', { class: 'remedy' }, ...quoted(text), ...reference(see, context))),
          ),
        ),
      ),
    costs(advice, context),
    neighbours(advice, context),
    section(
      speech.text('onTerminal'),
      h('pre', { tabindex: '0' }, h('code', {}, ['holdfast advise', ...sayAgain(context.told)].join(' \\\n  '))),
    ),
    assumptions(advice, context),
  ].filter((part) => part !== false);
}

function section(title: string, ...children: readonly Child[]): HTMLElement {
  return h('section', {}, h('h4', {}, title), ...children);
}

function list(items: readonly (readonly Child[])[]): HTMLElement {
  return h('ul', { class: 'notes' }, ...items.map((item) => h('li', {}, ...item)));
}

function notes(items: readonly Note[], context: Context): HTMLElement {
  return list(items.map(({ text, see }) => [...quoted(text), ...reference(see, context)]));
}

function costs({ answer, cost, measured, lock }: Advice, context: Context): HTMLElement | false {
  const { say, speech } = context;
  if (cost.length === 0 && measured === null) return false;
  const known =
    measured !== null && measured.lines.length > 0
      ? [
          h('span', { class: 'tag' }, speech.text('measured')),
          list(measured.lines.map((line) => [line])),
          h('p', { class: 'muted' }, ...quoted(measured.about)),
        ]
      : [
          h('span', { class: 'tag' }, speech.text('notMeasured')),
          list(unmeasured(ANSWERS[answer].backend, say).map((sentence) => quoted(sentence))),
        ];
  return section(
    say('What it costs'),
    notes(cost, context),
    lock || measured !== null ? h('div', { class: 'known' }, ...known) : false,
  );
}

function neighbours(advice: Advice, { say, speech, tell }: Context): HTMLElement | false {
  if (advice.turns.length === 0) return false;
  return section(
    say('One different input, and it is another answer'),
    h(
      'ul',
      { class: 'neighbours' },
      ...neighboursOf(advice).map(({ title, because, turns }) =>
        h(
          'li',
          {},
          h('p', {}, h('b', {}, `→ ${title}`)),
          h('p', { class: 'muted' }, because),
          h(
            'p',
            {},
            ...turns.flatMap((turn, index) => {
              const button = h('button', { type: 'button', class: 'plain' }, inputText(turn, advice.situation, say));
              button.addEventListener('click', () => tell(turn.input, turn.value));
              return index === 0 ? [button] : [speech.text('orElse'), button];
            }),
          ),
        ),
      ),
    ),
  );
}

/** The input that would be different, as the form has it. */
function inputText({ input, value, to }: Advice['turns'][number], situation: Situation, say: Say): string {
  const question = questionOf(input);
  const called = say(question.called);
  if (question.kind === 'choice') return `${called}: ${labelOf(question.options, value as string, say)}`;
  if (question.kind !== 'list') return `${called}: ${to}`;
  const [before, after] = [situation[question.input], value] as readonly (readonly string[])[];
  const added = after?.find((one) => !before?.includes(one));
  const removed = before?.find((one) => !after?.includes(one));
  return `${called}: ${added === undefined ? '−' : '+'} ${labelOf(question.options, added ?? removed ?? '', say)}`;
}

function labelOf(
  options: readonly { readonly value: string; readonly label: string }[],
  value: string,
  say: Say,
): string {
  return say(options.find((option) => option.value === value)?.label ?? value);
}

function assumptions({ assumed }: Advice, { say, speech }: Context): HTMLElement | false {
  if (assumed.length === 0) return false;
  return section(
    say('Assumed, since it was not said'),
    h('p', {}, speech.list(assumed.map((input) => say(questionOf(input).called)))),
  );
}

/** What shows it: an experiment of this page, one that can be run, or a page of the documentation. */
function reference(see: string | undefined, { experiments }: Context): Child[] {
  if (see === undefined) return [];
  const experiment = /^checkup (\S+)$/.exec(see)?.[1];
  if (experiment === undefined) return [' ', h('code', { class: 'see' }, see)];
  if (!experiments.has(experiment)) return [' ', h('code', { class: 'see' }, `holdfast ${see}`)];
  return [' ', h('a', { class: 'see', href: `#${experiment}` }, `${experiment}`)];
}

/** What stands between backticks is code. */
function quoted(text: string): Child[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : h('code', {}, part)));
}
