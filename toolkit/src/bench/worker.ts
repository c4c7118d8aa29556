/**
 * Both sides of a process that measures: each subject has one of its own, so that its heap, its compiled code and its
 * processor time are nobody else's. One request is under way at a time.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Reaper } from '../lab/reaper.ts';
import type { Programs } from './tasks.ts';

type Reply = { readonly gives: unknown } | { readonly error: string };

/** The side that asks. */
export class Worker<P extends keyof Programs> {
  readonly #process: ChildProcess;
  readonly #ended: Promise<never>;

  constructor(reaper: Reaper, program: P, options: Programs[P]['options'], execArgv: readonly string[] = []) {
    const file = builtFile(program);
    this.#process = reaper.spawn(process.execPath, [...execArgv, file, JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#ended = new Promise((_, reject) => {
      this.#process.once('error', reject);
      this.#process.once('exit', (code, signal) => {
        reject(new Error(`The process "${program}" of the benchmark ended with ${signal ?? `exit code ${code}`}.`));
      });
    });
    this.#ended.catch(() => undefined); // whoever asks it something is told
  }

  async ask(question: Programs[P]['asks']): Promise<Programs[P]['gives']> {
    const answer = once(this.#process, 'message') as Promise<[Reply]>;
    this.#process.send(question);
    const [reply] = await Promise.race([answer, this.#ended]);
    if ('error' in reply) throw new Error(reply.error);
    return reply.gives as Programs[P]['gives'];
  }

  /** `kill -9`; resolves when the process has ended. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended.catch(() => undefined);
  }

  /** Resolves when the process has ended. */
  async stop(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    await this.#ended.catch(() => undefined);
  }
}

/** The built program: beside this file, or in dist when this file runs as a source, in a test. */
function builtFile(program: keyof Programs): string {
  const folder = import.meta.url.endsWith('.ts') ? '../../dist/bench/processes' : './processes';
  return fileURLToPath(new URL(`${folder}/${program}.mjs`, import.meta.url));
}

/** The side that answers: ends when the other one has gone. */
export async function answerQuestions<P extends keyof Programs>(
  open: (options: Programs[P]['options']) => Promise<(question: Programs[P]['asks']) => Promise<Programs[P]['gives']>>,
): Promise<void> {
  process.once('disconnect', () => process.exit());
  const answer = open(JSON.parse(process.argv[2] ?? '{}') as Programs[P]['options']);
  const reply = (message: Reply): void => {
    process.send?.(message);
  };
  process.on('message', (question: Programs[P]['asks']) => {
    answer
      .then((ask) => ask(question))
      .then(
        (gives) => reply({ gives }),
        (error: unknown) => reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      );
  });
  await answer;
}
