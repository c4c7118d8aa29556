/**
 * Many who wait for one lock in one process, each with a connection of its own, as if it were a process. Each waits its
 * turn, reads and writes once, and gives the lock to the next.
 *
 * @module
 */
import { HistoryWriter } from '../history.ts';
import type { Commands } from '../holder-protocol.ts';
import type { Subject, SubjectSession } from '../subject.ts';
import { checkSession } from '../subjects/contract.ts';
import { messageOf } from '../subjects/load-subject.ts';
import { Acquisitions } from './acquisitions.ts';
import type { ResourceClient } from './resource-client.ts';
import { Section } from './section.ts';

/** The time between a read and its write. */
const COMPUTE_MS = 2;

interface Dependencies {
  readonly historyFile: string;
  readonly resource: ResourceClient;
  readonly hideSecrets: (text: string) => string;
  readonly onError: (error: unknown) => void;
}

interface Waiter {
  readonly session: SubjectSession;
  readonly acquisitions: Acquisitions;
  readonly history: HistoryWriter;
}

export class Crowd {
  readonly #use: Dependencies;
  readonly #waiters: Map<string, Waiter> = new Map();
  readonly #turns: Promise<string | null>[] = [];

  constructor(use: Dependencies) {
    this.#use = use;
  }

  /** Connects each of them. */
  async gather(subject: Subject, { url, waiters }: Commands['gather']['asks']): Promise<void> {
    await Promise.all(
      waiters.map(async (by) => {
        const session = checkSession(await subject.open({ url }));
        const history = new HistoryWriter(this.#use.historyFile, by);
        this.#waiters.set(by, { session, history, acquisitions: new Acquisitions({ ...this.#use, session, history }) });
      }),
    );
  }

  /** From now on this one waits. */
  lineUp({ waiter: by, ...asks }: Commands['line-up']['asks']): void {
    const waiter = this.#waiters.get(by);
    if (!waiter) throw new Error(`There is no waiter ${by}.`);
    this.#turns.push(this.#turn(waiter, asks));
  }

  /** Resolves when all have had their turn, or did not get it. Gives what went wrong. */
  async served(): Promise<readonly string[]> {
    return (await Promise.all(this.#turns)).filter((problem) => problem !== null);
  }

  async close(): Promise<void> {
    for (const { acquisitions } of this.#waiters.values()) acquisitions.stop();
    await Promise.all([...this.#waiters.values()].map(({ session }) => session.close()));
  }

  async #turn(waiter: Waiter, asks: Commands['acquire']['asks']): Promise<string | null> {
    const { acquisitions, history } = waiter;
    const { resource, onError } = this.#use;
    try {
      const acquired = await acquisitions.acquire(asks);
      if (acquired.outcome !== 'granted') return `${history.by} waited for the lock and did not get it.`;
      const held = acquisitions.held();
      const section = new Section({ held, resource, history, computeMs: COMPUTE_MS, onStep: () => {}, onError });
      await section.finish();
      return await acquisitions.release();
    } catch (error) {
      return messageOf(error);
    }
  }
}
