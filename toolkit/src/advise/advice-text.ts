/**
 * Advice as text, for a terminal or a file: wrapped to a width, with colours that are handed in.
 *
 * @module
 */
import { widthOf } from '../cli/text.ts';
import type { Advice } from './advice.ts';
import { ANSWERS, type BackendId, type Note } from './answers.ts';
import { count, formatMs } from './format.ts';
import { MEASURED_AS } from './measured-backends.ts';
import { complete, QUESTIONS, type Question, questionOf, type Situation, type Told } from './situation.ts';

/** How parts of the text are made to stand out; all of them give the text back where there are no colours. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 100;

export function adviceLines(advice: Advice, width: number, paint: Paint): string[] {
  const page = new Page(Math.min(width, WIDEST), paint);
  page.title(advice.title, advice.lock);
  page.paragraph(advice.summary);
  page.section('Why', () => {
    for (const { because } of advice.reasons) page.item('·', because);
  });
  if (advice.settings !== null && advice.lock) {
    const { ttlMs, ridesOutMs, freeAfterMs } = advice.settings;
    page.section('Settings', () => {
      const free = freeAfterMs === 0 ? 'at once' : `after ${formatMs(freeAfterMs)} at the latest`;
      page.item(
        '·',
        `TTL ${formatMs(ttlMs)}, renewed all the time. A killed holder's lock is free ${free}; a holder that is paused for up to ${formatMs(ridesOutMs)} keeps it.`,
      );
    });
  }
  for (const { title, language, text } of advice.code) {
    page.section(`${title} (${language === 'js' ? 'JavaScript' : 'shell'})`, () => page.code(text));
  }
  notes(page, advice.lock ? 'First' : 'Instead', advice.setUp);
  if (advice.risks.length > 0) {
    page.section(
      advice.lock ? 'What remains unsafe, and what the business does about it' : 'What to look out for',
      () => {
        for (const { text, remedy, see } of advice.risks) {
          page.item(paint.bad('!'), text);
          page.item(paint.good('→'), remedy, 4, see);
        }
        for (const { text, see } of advice.duties) page.item(paint.good('→'), text, 2, see);
      },
    );
  }
  cost(page, advice);
  turns(page, advice);
  assumptions(page, advice);
  return page.lines;
}

function notes(page: Page, title: string, items: readonly Note[]): void {
  if (items.length === 0) return;
  page.section(title, () => {
    for (const { text, see } of items) page.item('·', text, 2, see);
  });
}

function cost(page: Page, { answer, cost: items, measured, lock }: Advice): void {
  const { backend } = ANSWERS[answer];
  if (items.length === 0 && measured === null) return;
  page.section('What it costs', () => {
    for (const { text, see } of items) page.item('·', text, 2, see);
    if (measured !== null && measured.lines.length > 0) {
      page.item('·', `Measured: ${measured.about}`);
      for (const line of measured.lines) page.item('·', line, 4);
    } else if (measured !== null) {
      page.item('·', 'This benchmark has not measured this one.');
    } else if (lock) {
      page.item('·', `In rate and latency: not measured on this machine. ${howToMeasure(backend)}`);
    }
  });
}

function howToMeasure(backend: BackendId | undefined): string {
  if (backend === 'sql-session') return '`npm run bench:sql` does that.';
  if (backend === undefined) return 'Do that with your own load before you rely on it.';
  return `\`holdfast bench ${MEASURED_AS[backend].join(' ')} --json holdfast-bench.json\` does that, and then it stands here.`;
}

/** Turns to the same answer at the same fork are one line. */
function turns(page: Page, { turns: all }: Advice): void {
  if (all.length === 0) return;
  page.section('One different input, and it is another answer', () => {
    const groups = new Map<string, { title: string; because: string; ways: string[] }>();
    for (const turn of all) {
      const key = `${turn.answer} ${turn.fork}`;
      const group = groups.get(key) ?? { title: turn.title, because: turn.because, ways: [] };
      group.ways.push(`${questionOf(turn.input).flag} ${turn.to}`);
      groups.set(key, group);
    }
    for (const { title, because, ways } of groups.values()) {
      page.item('·', `--${waysText(ways)} → ${title}`);
      page.item(' ', because);
    }
  });
}

function waysText(ways: readonly string[]): string {
  return ways.length <= 4 ? ways.join(', or --') : `${ways.slice(0, 3).join(', or --')}, or ${ways.length - 3} others`;
}

function assumptions(page: Page, { assumed, situation }: Advice): void {
  if (assumed.length === 0) return;
  page.section('Assumed, since it was not said', () => {
    page.paragraph(
      assumed.map((input) => `${questionOf(input).flag} ${valueText(questionOf(input), situation)}`).join(' · '),
    );
  });
}

/** An input as one would write it on the command line. */
function valueText(question: Question, situation: Situation): string {
  if (question.kind === 'choice') return situation[question.input];
  if (question.kind === 'list') return situation[question.input].join(',') || 'none';
  const value = situation[question.input];
  return question.kind === 'rate' ? `${count(value)}/s` : formatMs(value).replace(' ', '').replace('min', 'm');
}

/** What was said, as the options that say it again, one each. */
export function sayAgain(told: Told): string[] {
  const { situation } = complete(told);
  return QUESTIONS.filter(({ input }) => told[input] !== undefined).map(
    (question) => `--${question.flag} ${valueText(question, situation).replace(/,(?=\d{3})|\/s$/g, '')}`,
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

/** Words are never divided; a word that is wider than the width has a line of its own. What stands in brackets is one word. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let [line, used] = ['', 0];
  for (const word of text.match(/\[[^\]]*\]\S*|`[^`]*`\S*|\S+/g) ?? []) {
    const takes = widthOf(word);
    if (line === '') {
      [line, used] = [word, takes];
    } else if (used + 1 + takes <= width) {
      [line, used] = [`${line} ${word}`, used + 1 + takes];
    } else {
      lines.push(line);
      [line, used] = [word, takes];
    }
  }
  return line === '' ? lines : [...lines, line];
}
