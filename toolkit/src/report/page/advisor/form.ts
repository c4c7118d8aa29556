/**
 * The questions of the advisor as a form, made from the list of questions. Each has an answer from the beginning: what is
 * assumed, until the reader says otherwise. Beside an answer that would lead elsewhere stands where.
 *
 * @module
 */
import type { Advice } from '../../../advise/advice.ts';
import { count, typedMs } from '../../../advise/format.ts';
import { type Completed, type Input, QUESTIONS, type Question, type Situation } from '../../../advise/situation.ts';
import type { Say } from '../../../messages/say.ts';
import type { Speech, TextKey } from '../../../messages/speech.ts';
import { h } from '../dom.ts';
import { answerIn } from './asked.ts';

export interface Form {
  readonly element: HTMLElement;
  /** Shows what is so now, and what would be another answer. A field that somebody is writing in stays as it is. */
  show(completed: Completed, turns: Turns): void;
}

type Turns = Advice['turns'];

interface Field {
  readonly element: HTMLElement;
  show(situation: Situation, turns: Turns): void;
}

/** Undefined takes back what was said. */
type Tell = (input: Input, value: unknown) => void;

interface Tongue {
  readonly speech: Speech;
  readonly say: Say;
}

const GROUPS: readonly { readonly title: TextKey; readonly inputs: readonly Input[] }[] = [
  { title: 'atStake', inputs: ['protects', 'failure', 'resource', 'writesTo'] },
  { title: 'atHand', inputs: ['runsOn', 'servers', 'skills', 'order'] },
];

export function advisorForm(tongue: Tongue, tell: Tell): Form {
  const { speech } = tongue;
  const blocks = new Map<Input, { readonly field: Field; readonly mark: HTMLElement }>();
  const block = (question: Question): HTMLElement => {
    const field = fieldOf(question, tongue, (value) => tell(question.input, value));
    const mark = h('span', { class: 'said-by', id: markId(question.input) });
    field.element.append(mark);
    blocks.set(question.input, { field, mark });
    return field.element;
  };
  const named = new Set(GROUPS.flatMap(({ inputs }) => inputs));
  const groups = [
    ...GROUPS.map(({ title, inputs }) => ({
      title,
      questions: QUESTIONS.filter(({ input }) => inputs.includes(input)),
    })),
    { title: 'howMuch' as const, questions: QUESTIONS.filter(({ input }) => !named.has(input)) },
  ];
  const element = h(
    'form',
    { class: 'questions', 'aria-label': speech.text('questions') },
    ...groups.map(({ title, questions }) =>
      h('div', { class: 'group' }, h('h3', {}, speech.text(title)), ...questions.map(block)),
    ),
  );
  // Enter in a field says it, and sends nothing anywhere.
  element.addEventListener('submit', (event) => event.preventDefault());
  return {
    element,
    show({ situation, assumed }, turns) {
      for (const [input, { field, mark }] of blocks) {
        field.show(
          situation,
          turns.filter((turn) => turn.input === input),
        );
        const takesBack = (): void => {
          tell(input, undefined);
          focusOn(field);
        };
        mark.replaceChildren(assumed.includes(input) ? speech.text('assumed') : takeBack(speech, takesBack));
      }
    },
  };
}

/** Where a field says whether its answer is assumed. */
function markId(input: Input): string {
  return `advisor-${input}-said`;
}

function takeBack(speech: Speech, act: () => void): HTMLElement {
  const button = h('button', { type: 'button', class: 'plain' }, speech.text('takeBack'));
  button.addEventListener('click', act);
  return button;
}

/** A button that is gone leaves whoever has pressed it by keyboard at the top of the page. */
function focusOn({ element }: Field): void {
  const input = element.querySelector<HTMLInputElement>(':checked') ?? element.querySelector('input');
  input?.focus();
}

function fieldOf(question: Question, tongue: Tongue, tell: (value: unknown) => void): Field {
  if (question.kind === 'choice' || question.kind === 'list') return optionsField(question, tongue, tell);
  return numberField(question, tongue, tell);
}

function optionsField(
  question: Question & { readonly kind: 'choice' | 'list' },
  { say }: Tongue,
  tell: (value: unknown) => void,
): Field {
  const { input, kind } = question;
  const boxes = question.options.map(({ value, label }) => {
    const box = h('input', { type: kind === 'choice' ? 'radio' : 'checkbox', name: `advisor-${input}`, value });
    const leads = h('span', { class: 'leads' });
    return { value, box, leads, label: h('label', {}, box, h('span', {}, say(label), ' ', leads)) };
  });
  const chosen = (): string[] => boxes.filter(({ box }) => box.checked).map(({ value }) => value);
  for (const { box } of boxes) box.addEventListener('change', () => tell(kind === 'choice' ? chosen()[0] : chosen()));
  return {
    element: h(
      'fieldset',
      { class: 'ask', 'data-input': input, 'aria-describedby': markId(input) },
      h('legend', {}, say(question.ask)),
      ...boxes.map(({ label }) => label),
    ),
    show(situation, turns) {
      const now = [situation[input]].flat() as readonly string[];
      for (const { value, box, leads } of boxes) {
        box.checked = now.includes(value);
        const turn = turns.find((one) =>
          kind === 'choice' ? one.value === value : (one.value as readonly string[]).includes(value) !== box.checked,
        );
        leads.textContent = turn === undefined ? '' : `→ ${turn.answer}`;
        leads.title = turn?.title ?? '';
      }
    },
  };
}

function numberField(
  question: Question & { readonly kind: 'rate' | 'duration' },
  { say }: Tongue,
  tell: (value: unknown) => void,
): Field {
  const { input, kind } = question;
  const id = `advisor-${input}`;
  const field = h('input', {
    id,
    type: 'text',
    autocomplete: 'off',
    'aria-describedby': `${id}-more ${id}-leads ${markId(input)}`,
    size: 9,
  });
  const leads = h('span', { class: 'leads', id: `${id}-leads` });
  const problem = h('span', { class: 'problem', role: 'alert' });
  const complain = (text: string): void => {
    problem.textContent = text;
    field.setAttribute('aria-invalid', String(text !== ''));
  };
  field.addEventListener('input', () => {
    try {
      const value = answerIn(question, field.value.trim(), say);
      complain('');
      tell(value);
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error));
    }
  });
  let shown = '';
  // Left with something that is no answer, it shows again what is reckoned with.
  field.addEventListener('blur', () => {
    complain('');
    field.value = shown;
  });
  return {
    element: h(
      'div',
      { class: 'ask', 'data-input': input },
      h('label', { for: id }, say(question.ask)),
      h(
        'span',
        { class: 'number' },
        field,
        h('span', { class: 'unit', id: `${id}-more` }, kind === 'rate' ? say('a second') : say('such as 500ms or 30s')),
      ),
      problem,
      leads,
    ),
    show(situation, turns) {
      const value = situation[input];
      shown = kind === 'duration' ? typedMs(value) : Number.isInteger(value) ? count(value) : String(value);
      if (document.activeElement !== field) field.value = shown;
      leads.textContent = turns.map(({ to, answer }) => `${to} → ${answer}`).join(' · ');
    },
  };
}
