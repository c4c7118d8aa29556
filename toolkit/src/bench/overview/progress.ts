/**
 * Progress, live, on standard error: which backend, which measure, and how much is left. On a terminal one line that is
 * written again and again; elsewhere one for each measure.
 *
 * @module
 */
import { cut } from '../../cli/text.ts';
import type { Screen } from '../../lab/progress.ts';

export class BenchProgress {
  readonly #screen: Screen;
  /** How long each backend is expected to take, in order. */
  readonly #expectedMs: readonly number[];
  readonly #now: () => number;
  #at = 0;
  #name = '';
  #startedAt = 0;
  #lastMeasure = '';

  constructor(screen: Screen, expectedMs: readonly number[], now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#expectedMs = expectedMs;
    this.#now = now;
  }

  begin(at: number, name: string): void {
    this.#at = at;
    this.#name = name;
    this.#startedAt = this.#now();
    this.#lastMeasure = '';
  }

  say(measure: string, detail: string): void {
    const where = `${this.#at + 1} of ${this.#expectedMs.length}, ${this.#name}`;
    if (this.#screen.isTTY) {
      const line = `holdfast bench: ${where}: ${measure}, ${detail}; ${this.#outlook()}`;
      this.#screen.write(`\r\x1b[K${cut(line, (this.#screen.columns ?? 80) - 1)}`);
    } else if (measure !== this.#lastMeasure) {
      this.#screen.write(`holdfast bench: ${where}: ${measure}; ${this.#outlook()}\n`);
    }
    this.#lastMeasure = measure;
  }

  /** Takes the line off the terminal. */
  close(): void {
    if (this.#screen.isTTY) this.#screen.write('\r\x1b[K');
  }

  #outlook(): string {
    const spent = this.#now() - this.#startedAt;
    const here = Math.max(0, (this.#expectedMs[this.#at] ?? 0) - spent);
    const rest = this.#expectedMs.slice(this.#at + 1).reduce((sum, one) => sum + one, here);
    return rest > 0 ? `about ${Math.ceil(rest / 1_000)} s left` : 'it takes longer than expected';
  }
}
