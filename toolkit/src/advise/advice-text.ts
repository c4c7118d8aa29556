/**
 * Advice as text, for a terminal or a file: wrapped to a width, with colours that are handed in.
 *
 * @module
 */
import { widthOf } from '../cli/text.ts';
import { inEnglish, type Say } from '../messages/say.ts';
import type { Advice } from './advice.ts';
import { ANSWERS, type Note } from './answers.ts';
import { count, typedMs } from './format.ts';
import { complete, QUESTIONS, type Question, questionOf, type Situation, type Told } from './situation.ts';
import { neighboursOf, settingsText, unmeasured } from './wording.ts';

/** How parts of the text are made to stand out; all of them give the text back where there are no colours. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 100;

export function adviceLines(advice: Advice, width: number, paint: Paint, say: Say = inEnglish): string[] {
  const page = new Page(Math.min(width, WIDEST), paint);
  page.title(advice.title, advice.lock);
  page.paragraph(advice.summary);
  page.section(say('Why'), () => {
    for (const { because } of advice.reasons) page.item('·', because);
  });
  if (advice.settings !== null && advice.lock) {
    const { settings } = advice;
    page.section(say('Settings'), () => page.item('·', settingsText(settings, say)));
  }
  for (const { title, language, text } of advice.code) {
    page.section(`${title} (${language === 'js' ? 'JavaScript' : 'shell'})`, () => page.code(text));
  }
  notes(page, advice.lock ? say('First') : say('Instead'), advice.setUp);
  if (advice.risks.length > 0) {
    page.section(
      advice.lock ? say('What remains unsafe, and what the business does about it') : say('What to look out for'),
      () => {
        for (const { text, remedy, see } of advice.risks) {
          page.item(paint.bad('!'), text);
          page.item(paint.good('→'), remedy, 4, see);
        }
        for (const { text, see } of advice.duties) page.item(paint.good('→'), text, 2, see);
      },
    );
  }
  cost(page, advice, say);
  turns(page, advice, say);
  assumptions(page, advice, say);
  // By now the title is far above what a screen shows.
  page.lines.push('');
  page.item(advice.lock ? paint.good('→') : paint.dim('→'), advice.title, 0);
  return page.lines;
}

function notes(page: Page, title: string, items: readonly Note[]): void {
  if (items.length === 0) return;
  page.section(title, () => {
    for (const { text, see } of items) page.item('·', text, 2, see);
  });
}

function cost(page: Page, { answer, cost: items, measured, lock }: Advice, say: Say): void {
  const { backend } = ANSWERS[answer];
  if (items.length === 0 && measured === null) return;
  page.section(say('What it costs'), () => {
    for (const { text, see } of items) page.item('·', text, 2, see);
    if (measured !== null && measured.lines.length > 0) {
      page.item('·', say('Measured: {about}', { about: measured.about }));
      for (const line of measured.lines) page.item('·', line, 4);
    } else if (measured !== null) {
      page.item('·', say('This benchmark has not measured this one.'));
    } else if (lock) {
      const [first = '', ...more] = unmeasured(backend, say);
      page.item('·', first);
      for (const sentence of more) page.item('·', sentence, 4);
    }
  });
}

function turns(page: Page, advice: Advice, say: Say): void {
  if (advice.turns.length === 0) return;
  page.section(say('One different input, and it is another answer'), () => {
    for (const { title, because, turns } of neighboursOf(advice)) {
      page.item('·', `${waysText(turns, say)} → ${title}`);
      page.item(' ', because);
    }
  });
}

function waysText(turns: Advice['turns'], say: Say): string {
  const ways = turns.map(({ input, to }) => `--${questionOf(input).flag} ${to}`);
  const shown = ways.length <= 4 ? ways : ways.slice(0, 3);
  const rest = ways.length - shown.length;
  return [...shown, ...(rest === 0 ? [] : [say('{n} others', { n: rest })])].join(say(', or '));
}

function assumptions(page: Page, { assumed, situation }: Advice, say: Say): void {
  if (assumed.length === 0) return;
  page.section(say('Assumed, since it was not said'), () => {
    page.paragraph(
      assumed.map((input) => `${questionOf(input).flag} ${assumedText(questionOf(input), situation)}`).join(' · '),
    );
  });
}

function assumedText(question: Question, situation: Situation): string {
  return question.kind === 'rate' ? `${count(situation[question.input])}/s` : typed(question, situation);
}

/** An input as one would write it on the command line: exactly, whatever it is. */
function typed(question: Question, situation: Situation): string {
  if (question.kind === 'choice') return situation[question.input];
  if (question.kind === 'list') return situation[question.input].join(',') || 'none';
  return question.kind === 'rate' ? String(situation[question.input]) : typedMs(situation[question.input]);
}

/** What was said, as the options that say it again, one each. */
export function sayAgain(told: Told): string[] {
  const { situation } = complete(told);
  return QUESTIONS.filter(({ input }) => told[input] !== undefined).map(
    (question) => `--${question.flag} ${typed(question, situation)}`,
  );
}

class Page {
  readonly lines: string[] = [];
  readonly #width: number;
  readonly #paint: Paint;

  constructor(width: number, paint: Paint) {
    this.#width = width;
    this.#paint = paint;
  }

  title(text: string, good: boolean): void {
    const lines = wrapped(text, this.#width);
    this.lines.push(...lines.map((line) => this.#paint.bold(line)));
    const rule = '─'.repeat(Math.max(...lines.map(widthOf)));
    this.lines.push(good ? this.#paint.good(rule) : this.#paint.dim(rule));
  }

  paragraph(text: string): void {
    this.lines.push(...wrapped(text, this.#width));
  }

  section(title: string, fill: () => void): void {
    this.lines.push('', this.#paint.bold(title));
    fill();
  }

  item(bullet: string, text: string, indent = 2, see?: string): void {
    const begin = `${' '.repeat(indent)}${bullet} `;
    const hang = ' '.repeat(indent + 2);
    const reference = see === undefined ? '' : ` [${see}]`;
    const lines = wrapped(text + reference, this.#width - hang.length);
    for (const [index, line] of lines.entries()) {
      const shown =
        see === undefined ? line : line.replace(/\[(?:checkup|docs\/)[^\]]*\]?$/, (found) => this.#paint.dim(found));
      this.lines.push((index === 0 ? begin : hang) + shown);
    }
  }

  code(text: string): void {
    this.lines.push(...text.split('\n').map((line) => (line === '' ? '' : `  ${line}`)));
  }
}

/** What a word is made of where it is neither Chinese nor quoted. */
const LETTER = '[^\\s\\p{Script=Han}（“《，。；：！？、）”》`[]';

/**
 * A word, with what may not be parted from it. A Chinese character is one, with the marks that may not begin or end a line;
 * what is quoted or stands in brackets is one as well.
 */
const WORD = new RegExp(
  `[（“《]*(?:\\p{Script=Han}|(?:${LETTER}*(?:\\[[^\\]]*\\]|\`[^\`]*\`)|${LETTER})${LETTER}*)[，。；：！？、）”》]*|\\S`,
  'gu',
);

/** Words are never divided; a word that is wider than the width has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let [line, used] = ['', 0];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const gap = /\s/.test(text[index - 1] ?? '') ? ' ' : '';
    const takes = widthOf(word);
    if (line === '') {
      [line, used] = [word, takes];
    } else if (used + gap.length + takes <= width) {
      [line, used] = [line + gap + word, used + gap.length + takes];
    } else {
      lines.push(line);
      [line, used] = [word, takes];
    }
  }
  return line === '' ? lines : [...lines, line];
}
