/**
 * One thing after the other: what is not urgent takes one connection of the pool in all, however much there is of it.
 *
 * Each piece of work has a deadline of its own and is at an end by then, so that none keeps the others for longer.
 *
 * @module
 */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();

  run<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
