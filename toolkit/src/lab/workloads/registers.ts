/**
 * What the lock protects: two registers that get the same accesses, one behind a guard and one without. So a single run
 * shows what was damaged, and what the guard saved.
 *
 * A register holds a number, which every holder reads, adds one to, and writes back. It takes the last write whatever
 * came between, as a row that is written without a condition does.
 *
 * @module
 */
import type { Outcome } from '../history.ts';

/** What a holder writes back, and which version it had read before; the register itself does not look at that. */
export interface Update {
  readonly value: number;
  readonly basedOn: number;
}

export interface Answers {
  readonly open: Outcome;
  /** Null for a holder without a token: it cannot pass a guard, and is not asked to. */
  readonly guarded: Outcome | null;
}

/**
 * The check at the resource. The floor rises with the first access of each holder, reads included: a stale holder that
 * has read before its pause would otherwise write back a value that no longer knows its rival's update.
 */
export class Guard {
  #floor = 0n;

  get floor(): bigint {
    return this.#floor;
  }

  /** Whether a holder with this token may go on. Equal tokens pass: one holder may come often. */
  enter(token: bigint): boolean {
    if (token < this.#floor) return false;
    this.#floor = token;
    return true;
  }
}

class Register {
  #version = 0;
  #value = 0;

  read(): Outcome {
    return { accepted: true, version: this.#version, value: this.#value };
  }

  write(value: number): Outcome {
    this.#version++;
    this.#value = value;
    return this.read();
  }
}

export class Registers {
  readonly #open = new Register();
  readonly #guarded = new Register();
  readonly #guard = new Guard();

  read(token: bigint | undefined): Answers {
    return { open: this.#open.read(), guarded: this.#guardedBy(token, () => this.#guarded.read()) };
  }

  /** Each register has values of its own, so a holder writes to each what follows from what it read there. */
  write(token: bigint | undefined, updates: { readonly open: Update; readonly guarded: Update }): Answers {
    return {
      open: this.#open.write(updates.open.value),
      guarded: this.#guardedBy(token, () => this.#guarded.write(updates.guarded.value)),
    };
  }

  #guardedBy(token: bigint | undefined, access: () => Outcome): Outcome | null {
    if (token === undefined) return null;
    return this.#guard.enter(token) ? access() : { accepted: false, floor: String(this.#guard.floor) };
  }
}
