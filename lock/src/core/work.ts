/**
 * What is under way at the backend, so that `close` can wait for its end. A count, and not a promise of each piece: who
 * takes a lock a thousand times a second closes once.
 *
 * @module
 */
export class Work {
  #underWay = 0;
  #onNone: () => void = () => undefined;

  begin(): void {
    this.#underWay++;
  }

  /** Once for each `begin`. */
  end(): void {
    if (--this.#underWay === 0) this.#onNone();
  }

  /** Resolves when nothing is under way. What begins meanwhile is waited for, too. */
  async ended(): Promise<void> {
    while (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#onNone = resolve;
      });
    }
  }
}
