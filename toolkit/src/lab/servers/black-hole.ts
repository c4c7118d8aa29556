/**
 * A loopback address that leads to a server, and from a moment on carries nothing in either direction while all its
 * connections stand: no FIN, no reset, as behind a firewall that has forgotten a connection, or a cable that is out.
 *
 * Its own kernel goes on to acknowledge what comes, as a load balancer does in the middle of a line. So what is seen
 * here is what the two ends do by themselves, and not what TCP finds out; by default that is nothing for two hours.
 *
 * @module
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class BlackHole {
  readonly #server: Server;
  readonly #target: number;
  readonly #clients = new Set<Socket>();
  readonly #upstreams = new Set<Socket>();
  readonly #onServerEnd: () => void;
  #isCut = false;

  private constructor(server: Server, target: number, onServerEnd: () => void) {
    this.#server = server;
    this.#target = target;
    this.#onServerEnd = onServerEnd;
    server.on('connection', (client) => this.#accept(client));
  }

  /** `onServerEnd` is called for each connection that the server ends after the cut. */
  static start(targetPort: number, onServerEnd: () => void): Promise<BlackHole> {
    return new Promise((resolve, reject) => {
      const server = createServer({ allowHalfOpen: true });
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => resolve(new BlackHole(server, targetPort, onServerEnd)));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many connections the server has from here. */
  get connections(): number {
    return this.#upstreams.size;
  }

  /** From now on nothing passes. */
  cut(): void {
    this.#isCut = true;
  }

  close(): void {
    this.#server.close();
    for (const socket of [...this.#clients, ...this.#upstreams]) socket.destroy();
  }

  #accept(client: Socket): void {
    this.#clients.add(client);
    client.on('error', () => {});
    client.on('close', () => this.#clients.delete(client));
    if (this.#isCut) {
      client.resume(); // it is connected, and hears nothing
      return;
    }
    const upstream = connect({ host: '127.0.0.1', port: this.#target, noDelay: true });
    client.setNoDelay(true);
    this.#upstreams.add(upstream);
    upstream.on('error', () => {});
    this.#pass(client, upstream);
    this.#pass(upstream, client);
    upstream.on('end', () => {
      if (!this.#isCut) return;
      this.#onServerEnd();
      upstream.destroy(); // the server is through with it; the client does not hear of it
    });
    upstream.on('close', () => this.#upstreams.delete(upstream));
  }

  /** What arrives goes on, the end of the connection included; after the cut it goes nowhere. */
  #pass(from: Socket, to: Socket): void {
    from.on('data', (chunk) => {
      if (!this.#isCut) to.write(chunk);
    });
    from.on('end', () => {
      if (!this.#isCut) to.end();
    });
    from.on('close', () => {
      if (!this.#isCut) to.destroy();
    });
  }
}
