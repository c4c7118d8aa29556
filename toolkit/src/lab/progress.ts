/**
 * Progress, live, on standard error: what runs, what is next, how long it takes. On a terminal a few lines that are
 * drawn again and again; elsewhere one line when a task starts.
 *
 * @module
 */
import { cut } from '../cli/text.ts';
import { type Speech, speechIn } from '../messages/speech.ts';
import { span } from './format.ts';
import { type Paint, pad } from './paint.ts';
import type { Result } from './result.ts';
import type { Watcher } from './runner.ts';
import type { Task } from './tasks.ts';
import { timeLeftMs } from './time-left.ts';

const REDRAW_MS = 200;

/** What of a terminal is needed here. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

interface Running {
  readonly startedAt: number;
  doing: string;
}

export class Progress implements Watcher {
  readonly #screen: Screen;
  readonly #paint: Paint;
  readonly #workers: number;
  readonly #speech: Speech;
  readonly #queued: Task[];
  readonly #total: number;
  readonly #running = new Map<Task, Running>();
  readonly #onFinished: (task: Task, result: Result) => void;
  #drawn = 0;
  #done = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    tasks: readonly Task[],
    use: {
      readonly screen: Screen;
      readonly paint: Paint;
      readonly workers: number;
      readonly onFinished: (task: Task, result: Result) => void;
      readonly speech?: Speech;
    },
  ) {
    this.#screen = use.screen;
    this.#paint = use.paint;
    this.#workers = use.workers;
    this.#speech = use.speech ?? speechIn('en');
    this.#onFinished = use.onFinished;
    this.#queued = tasks.filter((task) => task.notRun === undefined);
    this.#total = this.#queued.length;
    if (this.#screen.isTTY) {
      this.#timer = setInterval(() => this.#redraw(), REDRAW_MS);
      this.#timer.unref();
    }
  }

  started(task: Task): void {
    this.#queued.splice(this.#queued.indexOf(task), 1);
    this.#running.set(task, { startedAt: performance.now(), doing: '' });
    if (this.#screen.isTTY) this.#redraw();
    else this.#screen.write(`holdfast: ${this.#startedLine(task)}\n`);
  }

  doing(task: Task, what: string): void {
    const running = this.#running.get(task);
    if (running) running.doing = what;
  }

  finished(task: Task, result: Result): void {
    if (this.#running.delete(task)) this.#done++;
    this.#onFinished(task, result);
  }

  warned(text: string): void {
    this.around(() => this.#screen.write(`holdfast: ${text}\n`));
  }

  /** Lets something else be printed in between. */
  around(print: () => void): void {
    this.#clear();
    print();
    if (this.#timer) this.#redraw();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clear();
  }

  #outlook(): string {
    const now = performance.now();
    const rest = [...this.#running].map(([task, { startedAt }]) => takesMs(task) - (now - startedAt));
    const left = timeLeftMs(rest, this.#queued.map(takesMs), this.#workers);
    const [next] = this.#queued;
    const n = Math.max(1, Math.ceil(left / 1000));
    return next ? this.#speech.text('outlookNext', { title: titleOf(next), n }) : this.#speech.text('outlook', { n });
  }

  #startedLine(task: Task): string {
    const n = this.#done + this.#running.size;
    return this.#speech.text('started', { n, m: this.#total, title: titleOf(task), outlook: this.#outlook() });
  }

  #redraw(): void {
    if (!this.#screen.isTTY) return;
    const width = (this.#screen.columns ?? 80) - 1;
    const now = performance.now();
    const lines = [...this.#running].map(([task, { startedAt, doing }]) => {
      const left = `  ${pad(titleOf(task), 32)} ${pad(this.#speech.say(doing), 30)}`;
      return cut(`${left}${span(now - startedAt).padStart(8)}`, width);
    });
    lines.push(cut(this.#speech.text('done', { n: this.#done, m: this.#total, outlook: this.#outlook() }), width));
    this.#clear();
    this.#screen.write(lines.map((line) => `${this.#paint.dim(line)}\n`).join(''));
    this.#drawn = lines.length;
  }

  /** Line by line: where all of a screen is erased at once, tmux moves it into what can be scrolled back to. */
  #clear(): void {
    if (this.#drawn > 0) this.#screen.write('\x1b[A\x1b[2K'.repeat(this.#drawn));
    this.#drawn = 0;
  }
}

function takesMs({ experiment, timing }: Task): number {
  return experiment.takesMs(timing);
}

function titleOf({ experiment, subject }: Task): string {
  return `${experiment.id} · ${subject.name}`;
}
