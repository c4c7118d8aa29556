/**
 * The user's code inside what the lock protects: read, compute, write, again and again until it is told to finish.
 *
 * It has looked at its lease before it went in and does not look again, as code that is past its check cannot; so a
 * holder that is stopped in here writes when it wakes. It enters the guard before it reads. One that heeds its lease does look
 * before each access, which is the best that can be done without a token.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryWriter, Outcome } from '../history.ts';
import type { Held } from './held.ts';
import type { Update } from './registers.ts';
import type { AccessAnswer, ResourceClient } from './resource-client.ts';

interface Dependencies {
  readonly held: Held;
  readonly resource: ResourceClient;
  readonly history: HistoryWriter;
  /** How long the work between a read and its write takes. */
  readonly computeMs: number;
  readonly heeds?: boolean;
  readonly onStep: (steps: number) => void;
  readonly onError: (error: unknown) => void;
}

export class Section {
  readonly #use: Dependencies;
  readonly #done: Promise<void>;
  #finishing = false;
  #steps = 0;
  #nextDwell: { readonly ms: number; readonly onBegin: () => void } | undefined;
  #seen: { open: Update; guarded: Update } = { open: { value: 0, basedOn: 0 }, guarded: { value: 0, basedOn: 0 } };

  constructor(use: Dependencies) {
    this.#use = use;
    this.#done = this.#run().catch(use.onError);
  }

  /** Makes the next computation take this long; resolves when it has begun, after its read and before its write. */
  dwell(forMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#nextDwell = { ms: forMs, onBegin: resolve };
    });
  }

  /** Leaves after the write that is due. Gives the number of writes. */
  async finish(): Promise<number> {
    this.#finishing = true;
    await this.#done;
    return this.#steps;
  }

  async #run(): Promise<void> {
    const { held, history, onStep } = this.#use;
    history.write({ f: 'section', type: 'enter', hold: held.id });
    while (!this.#finishing && this.#mayGoOn()) {
      this.#see(await this.#access('read'));
      await this.#compute();
      if (!this.#mayGoOn()) break;
      await this.#access('write');
      onStep(++this.#steps);
    }
    history.write({ f: 'section', type: 'leave', hold: held.id });
  }

  #mayGoOn(): boolean {
    return this.#use.heeds !== true || this.#use.held.ask();
  }

  async #access(access: 'read' | 'write'): Promise<AccessAnswer> {
    const { held, resource, history } = this.#use;
    // Only for the record: the act follows whatever the lock says now.
    held.ask();
    const op = history.nextOperation();
    history.write({ f: access, type: 'invoke', op, hold: held.id });
    try {
      const answer = await resource.send({
        access,
        hold: held.id,
        ...(held.token === undefined ? {} : { token: held.token }),
        ...(access === 'write' ? { updates: this.#seen } : {}),
      });
      history.write({ f: access, type: 'ok', op, hold: held.id });
      return answer;
    } catch (error) {
      history.write({ f: access, type: 'info', op, hold: held.id, error: String(error) });
      throw error;
    }
  }

  /** What it will write: one more than it has read. Where the guard refused, it goes on with what it knew before. */
  #see({ open, guarded }: AccessAnswer): void {
    this.#seen = {
      open: oneMore(open) ?? this.#seen.open,
      guarded: (guarded && oneMore(guarded)) ?? this.#seen.guarded,
    };
  }

  async #compute(): Promise<void> {
    const dwell = this.#nextDwell;
    this.#nextDwell = undefined;
    dwell?.onBegin();
    await sleep(dwell?.ms ?? this.#use.computeMs);
  }
}

function oneMore(outcome: Outcome): Update | undefined {
  return outcome.accepted ? { value: outcome.value + 1, basedOn: outcome.version } : undefined;
}
