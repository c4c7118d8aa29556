/**
 * A loopback address that leads to a server, and from a moment on carries nothing, in one direction or in both, while all its
 * connections stand: no FIN, no reset, as behind a firewall that has forgotten a connection, or a cable that is out. Or it
 * carries everything late. What was held back arrives when it is mended, as TCP sends again what was not acknowledged.
 *
 * Its own kernel goes on to acknowledge what comes, as a load balancer does in the middle of a line. So what is seen
 * here is what the two ends do by themselves, and not what TCP finds out; by default that is nothing for two hours.
 *
 * @module
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** From the client to the server, and back. */
export type Direction = 'requests' | 'answers';

export class BlackHole {
  readonly #server: Server;
  readonly #target: number;
  readonly #clients = new Set<Socket>();
  readonly #upstreams = new Set<Socket>();
  readonly #onServerEnd: () => void;
  /** What is cut, with what it would have carried. */
  readonly #held = new Map<Direction, (() => void)[]>();
  /** What is on its way, in its order. */
  readonly #late = new Map<NodeJS.Timeout, () => void>();
  #delayMs = 0;

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

  /** From now on nothing passes; with a direction, nothing that way. */
  cut(...directions: readonly Direction[]): void {
    for (const direction of directions.length === 0 ? (['requests', 'answers'] as const) : directions) {
      this.#held.set(direction, []);
    }
  }

  /** From now on everything arrives so much later, each way. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Lets everything pass again, first what was held back or is still on its way: nothing may overtake it. */
  mend(): void {
    this.#delayMs = 0;
    const held = [...this.#late.values(), ...[...this.#held.values()].flat()];
    this.#forgetLate();
    this.#held.clear();
    for (const act of held) act();
  }

  close(): void {
    this.#server.close();
    this.#forgetLate();
    for (const socket of [...this.#clients, ...this.#upstreams]) socket.destroy();
  }

  #accept(client: Socket): void {
    this.#clients.add(client);
    client.on('error', () => {});
    client.on('close', () => this.#clients.delete(client));
    if (this.#held.size > 0) {
      client.resume(); // it is connected, and hears nothing
      return;
    }
    const upstream = connect({ host: '127.0.0.1', port: this.#target, noDelay: true });
    client.setNoDelay(true);
    this.#upstreams.add(upstream);
    upstream.on('error', () => {});
    this.#pass('requests', client, upstream);
    this.#pass('answers', upstream, client);
    upstream.on('end', () => {
      if (!this.#held.has('answers')) return;
      this.#onServerEnd();
      upstream.destroy(); // the server is through with it; the client does not hear of it
    });
    upstream.on('close', () => this.#upstreams.delete(upstream));
  }

  /** What arrives goes on, the end of the connection included; what is cut waits. */
  #pass(direction: Direction, from: Socket, to: Socket): void {
    from.on('data', (chunk) => this.#carry(direction, () => to.write(chunk)));
    from.on('end', () => this.#carry(direction, () => to.end()));
    from.on('close', () => this.#carry(direction, () => to.destroy()));
  }

  #carry(direction: Direction, act: () => void): void {
    const held = this.#held.get(direction);
    if (held) held.push(act);
    else if (this.#delayMs > 0) this.#carryLate(act);
    else act();
  }

  #carryLate(act: () => void): void {
    const timer = setTimeout(() => {
      this.#late.delete(timer);
      act();
    }, this.#delayMs);
    this.#late.set(timer, act);
  }

  #forgetLate(): void {
    for (const timer of this.#late.keys()) clearTimeout(timer);
    this.#late.clear();
  }
}
