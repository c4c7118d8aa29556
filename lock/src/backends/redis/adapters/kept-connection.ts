/**
 * A connection that is opened when it is first needed, and anew after it has ended.
 *
 * @module
 */
import { NotSentError } from '../client.ts';

interface Opened<Connection> {
  readonly connection: Connection;
  close(): void;
}

export class KeptConnection<Connection> {
  readonly #open: (ended: () => void) => Promise<Opened<Connection>>;
  #current: Promise<Opened<Connection>> | undefined;
  #closed = false;

  /** `open` calls `ended` when the connection is of no use any more. */
  constructor(open: (ended: () => void) => Promise<Opened<Connection>>) {
    this.#open = open;
  }

  /** Rejects with a `NotSentError` if there is none to be had. */
  async get(): Promise<Connection> {
    if (this.#closed) throw new NotSentError('The connection was closed.');
    const current = this.#current ?? this.#openAnew();
    try {
      return (await current).connection;
    } catch (error) {
      throw new NotSentError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  /** The next call of `get` opens a new one. */
  drop(): void {
    const current = this.#current;
    this.#current = undefined;
    current?.then(
      (opened) => opened.close(),
      () => undefined,
    );
  }

  close(): void {
    this.#closed = true;
    this.drop();
  }

  #openAnew(): Promise<Opened<Connection>> {
    const forget = (): void => {
      if (this.#current === current) this.#current = undefined;
    };
    const current = this.#open(() => forget());
    this.#current = current;
    current.catch(forget);
    return current;
  }
}
