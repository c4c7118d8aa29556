/**
 * Many who wait for one lock in one process, each with a client of its own, as if it were a process, or with one for
 * several, as a program has it. Each waits its turn, reads and writes once, and gives the lock to the next.
 *
 * @module
 */
import type { HistoryWriter } from '../history.ts';
import type { Commands } from '../holder-protocol.ts';
import type { Subject, SubjectSession } from '../subject.ts';
import { checkSession } from '../subjects/contract.ts';
import { messageOf } from '../subjects/load-subject.ts';
import { until } from '../until.ts';
import { Acquisitions } from './acquisitions.ts';
import type { ResourceClient } from './resource-client.ts';
import { Section } from './section.ts';

/** The time between a read and its write: in it all others wait, and ask if they have nothing better. */
const COMPUTE_MS = 25;

/** How long it may take until the server knows of a waiter. */
const SEEN_LIMIT_MS = 8_000;

interface Dependencies {
  readonly history: HistoryWriter;
  readonly resource: ResourceClient;
  readonly hideSecrets: (text: string) => string;
  readonly onError: (error: unknown) => void;
}

interface Client {
  readonly name: string;
  readonly session: SubjectSession;
}

interface Waiter {
  readonly client: Client;
  readonly acquisitions: Acquisitions;
  readonly history: HistoryWriter;
}

export class Crowd {
  readonly #use: Dependencies;
  readonly #waiters: Map<string, Waiter> = new Map();
  readonly #turns: Promise<string | null>[] = [];
  #clients: readonly Client[] = [];

  constructor(use: Dependencies) {
    this.#use = use;
  }

  /** Connects the clients, and deals them out. */
  async gather(subject: Subject, { url, waiters, clients }: Commands['gather']['asks']): Promise<void> {
    this.#clients = await Promise.all(
      Array.from({ length: clients }, async (_, index) => ({
        name: `${this.#use.history.by}-${index + 1}`,
        session: checkSession(await subject.open({ url })),
      })),
    );
    for (const [index, by] of waiters.entries()) {
      const client = this.#clients[index % clients] as Client;
      const history = this.#use.history.of(by);
      const acquisitions = new Acquisitions({ ...this.#use, session: client.session, history });
      this.#waiters.set(by, { client, history, acquisitions });
    }
  }

  /** From now on this one waits. Resolves when it is known to: at the server in that place, if it is to be seen there. */
  async lineUp({ waiter: by, place, ...asks }: Commands['line-up']['asks']): Promise<void> {
    const waiter = this.#waiters.get(by);
    if (!waiter) throw new Error(`There is no waiter ${by}.`);
    const { client, history } = waiter;
    this.#turns.push(this.#turn(waiter, asks));
    const seen = place !== null && client.session.waiting !== undefined;
    if (seen) {
      const isSeen = async (): Promise<boolean> => ((await client.session.waiting?.(asks.name)) ?? 0) >= place;
      await until(`${by} waiting at the server`, isSeen, { limitMs: SEEN_LIMIT_MS, everyMs: 5 });
    }
    history.write({ f: 'lined-up', type: 'event', client: client.name, seen });
  }

  /** Resolves when all have had their turn, or did not get it. Gives what went wrong. */
  async served(): Promise<readonly string[]> {
    return (await Promise.all(this.#turns)).filter((problem) => problem !== null);
  }

  async close(): Promise<void> {
    for (const { acquisitions } of this.#waiters.values()) acquisitions.stop();
    await Promise.all(this.#clients.map(({ session }) => session.close()));
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
