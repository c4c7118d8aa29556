/**
 * A contest for one lock: processes with contenders in them, and the benchmark itself as the first holder, so that all
 * of them stand in line before anything is measured.
 *
 * @module
 */
import { until } from '../lab/until.ts';
import type { Bench } from './bench.ts';
import { CONTENDED_SUBJECTS, type ContendedLock, type ContendedSubjectId, type HeldNow } from './contended-locks.ts';
import type { ContenderAnswer } from './tasks.ts';
import { Worker } from './worker.ts';

export interface ContestSize {
  readonly waiters: number;
  readonly processes: number;
}

const ALL_WAIT_LIMIT_MS = 30_000;

export class Contest {
  readonly subject: ContendedSubjectId;
  readonly #lock: ContendedLock;
  readonly #workers: readonly Worker<'contenders'>[];
  /** How many stand in line at the server when everybody waits. */
  readonly #inLine: number;

  private constructor(
    subject: ContendedSubjectId,
    lock: ContendedLock,
    workers: readonly Worker<'contenders'>[],
    inLine: number,
  ) {
    this.subject = subject;
    this.#lock = lock;
    this.#workers = workers;
    this.#inLine = inLine;
  }

  static async open(bench: Bench, subject: ContendedSubjectId, size: ContestSize): Promise<Contest> {
    const { waiters, processes } = size;
    const { url } = bench.server;
    const name = `contest:${waiters}:${processes}`;
    const { open, standsInLine } = CONTENDED_SUBJECTS[subject];
    const lock = await open(url, name, 1);
    const workers = Array.from({ length: processes }, (_, at) => {
      const contenders = Math.floor((waiters + at) / processes);
      return new Worker(bench.reaper, 'contenders', { subject, url, name, contenders });
    });
    return new Contest(subject, lock, workers, standsInLine === 'process' ? processes : waiters);
  }

  /** Resolves when all contenders wait for the lock that the benchmark has then. */
  async allWait(holdMs: number): Promise<HeldNow> {
    await this.#lock.makeFree();
    const held = await this.#lock.acquire(0);
    await Promise.all(this.#workers.map((worker) => worker.ask({ do: 'enter', holdMs })));
    await until(`${this.#inLine} standing in line`, async () => (await this.#lock.waiting()) === this.#inLine, {
      limitMs: ALL_WAIT_LIMIT_MS,
    });
    return held;
  }

  /** Lets each contender have the lock once more, and gives what each process tells. */
  allLeave(): Promise<readonly ContenderAnswer[]> {
    return Promise.all(this.#workers.map((worker) => worker.ask({ do: 'leave' })));
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await this.#lock.close();
  }
}
