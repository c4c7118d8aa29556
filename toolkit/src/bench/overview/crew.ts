/**
 * The processes of one subject: one for its pairs, for what it holds, and to lead the line; two that wait.
 *
 * @module
 */
import { NotInTimeError, within } from '../../lab/until.ts';
import type { SubjectId } from '../subjects/subject.ts';
import type { SubjectAnswer, SubjectStep } from '../tasks.ts';
import { Worker } from '../worker.ts';
import type { Settings, Stage } from './stage.ts';

const LINE = 'line';

/** A subject that does not answer for so long has failed. */
const ANSWER_LIMIT_MS = 90_000;

export class Crew {
  readonly #first: Worker<'subject'>;
  readonly #waiting: readonly Worker<'subject'>[];
  #abilities: { readonly line: boolean; readonly hold: boolean } = { line: false, hold: false };

  constructor({ reaper, kind, url, settings }: Stage, id: SubjectId) {
    const { waiters, waitingProcesses, heldTtlMs } = settings;
    const start = (here: number): Worker<'subject'> =>
      new Worker(reaper, 'subject', { kind, id, url, ttlMs: heldTtlMs, line: { name: LINE, waiters: here } });
    this.#first = start(1);
    this.#waiting = Array.from({ length: waitingProcesses }, (_, at) =>
      start(Math.floor((waiters + at) / waitingProcesses)),
    );
  }

  can(ability: 'pairs' | 'line' | 'hold'): boolean {
    return ability === 'pairs' || this.#abilities[ability];
  }

  ask(step: SubjectStep): Promise<SubjectAnswer> {
    return answered(step, this.#first, ANSWER_LIMIT_MS);
  }

  askWaiting(step: SubjectStep): Promise<readonly SubjectAnswer[]> {
    return Promise.all(this.#waiting.map((worker) => answered(step, worker, ANSWER_LIMIT_MS)));
  }

  async warmUp({ names, warmUpMs }: Settings): Promise<void> {
    const { abilities } = await this.ask({ do: 'abilities' });
    if (abilities) this.#abilities = abilities;
    await this.askWaiting({ do: 'abilities' });
    for (const atOnce of [names, 1]) await this.ask({ do: 'pairs', names: atOnce, forMs: warmUpMs });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#first, ...this.#waiting].map((worker) => worker.stop()));
  }
}

/** What of a process is needed here. */
type Asked = Pick<Worker<'subject'>, 'ask' | 'kill'>;

/** Ends the process where it does not answer in time: what came later would be taken for the answer to the next question. */
export async function answered(step: SubjectStep, worker: Asked, limitMs: number): Promise<SubjectAnswer> {
  try {
    return await within(`An answer to "${step.do}"`, worker.ask(step), limitMs);
  } catch (error) {
    if (error instanceof NotInTimeError) await worker.kill();
    throw error;
  }
}
