/**
 * A TCP relay on loopback that can be told to fail as networks do, with no tool of the kernel.
 *
 * @module
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export class Relay {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs: Set<Pair> = new Set();
  #target: number;
  #delayMs = 0;
  #blackHole = false;
  #refuse = false;
  /** How many replies to swallow, and what to do with the connection then. */
  #drop: { left: number; thenCut: boolean } | undefined;
  #dropped: (() => void) | undefined;

  private constructor(server: Server, port: number, target: number) {
    this.#server = server;
    this.port = port;
    this.#target = target;
    server.on('connection', (client) => this.#accept(client));
  }

  static async start(target: number): Promise<Relay> {
    const server = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('A relay needs a port.');
    return new Relay(server, address.port, target);
  }

  /** How many connections pass through now. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Lets everything pass again; what was held back is lost. */
  heal(): void {
    this.#blackHole = false;
    this.#refuse = false;
    this.#delayMs = 0;
    this.#drop = undefined;
  }

  /** Keeps the connections open and lets nothing pass, in neither direction: no FIN, no reset. */
  blackHole(): void {
    this.#blackHole = true;
  }

  /** Delays each chunk by this time, each way. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Resets all connections; new ones are refused until `heal`. */
  cut({ refuse = true }: { readonly refuse?: boolean } = {}): void {
    this.#refuse = refuse;
    for (const { client, server } of this.#pairs) {
      reset(client);
      server.destroy();
    }
    this.#pairs.clear();
  }

  /** Lets requests pass, and swallows the next chunk that comes back; then it cuts that connection. Resolves when it did. */
  dropNextReply({ thenCut = true }: { readonly thenCut?: boolean } = {}): Promise<void> {
    this.#drop = { left: 1, thenCut };
    return new Promise((resolve) => {
      this.#dropped = resolve;
    });
  }

  /** Sends new connections to another port, as after a failover. */
  switchTo(target: number): void {
    this.#target = target;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(client: Socket): void {
    client.on('error', () => undefined);
    if (this.#refuse) {
      reset(client);
      return;
    }
    const server = connect(this.#target, '127.0.0.1');
    server.on('error', () => reset(client));
    client.setNoDelay();
    server.setNoDelay();
    const pair = { client, server };
    this.#pairs.add(pair);
    client.on('data', (chunk) => this.#pass(chunk, server));
    server.on('data', (chunk) => {
      if (!this.#swallow(pair)) this.#pass(chunk, client);
    });
    client.on('end', () => {
      if (!this.#blackHole) server.end();
    });
    server.on('end', () => {
      if (!this.#blackHole) client.end();
    });
    client.on('close', () => {
      // In a black hole the server does not hear that the client has gone, either.
      if (this.#blackHole) return;
      this.#pairs.delete(pair);
      server.destroy();
    });
  }

  #pass(chunk: Buffer, to: Socket): void {
    if (this.#blackHole) return;
    if (this.#delayMs === 0) to.write(chunk);
    else setTimeout(() => !this.#blackHole && to.write(chunk), this.#delayMs);
  }

  #swallow(pair: Pair): boolean {
    if (this.#drop === undefined || this.#blackHole) return false;
    const { thenCut } = this.#drop;
    if (--this.#drop.left === 0) this.#drop = undefined;
    if (thenCut) {
      reset(pair.client);
      pair.server.destroy();
      this.#pairs.delete(pair);
    }
    this.#dropped?.();
    return true;
  }
}

/**
 * Ends a connection with a reset. One whose regular end is under way is only destroyed: Node 20 would not close it, and
 * the process would spin for ever when it ends.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
