/**
 * A relay between a client and a server that can fall silent: it keeps all sockets open and passes nothing on.
 *
 * @module
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class Relay {
  readonly #server: Server;
  readonly #sockets: Set<Socket> = new Set();
  #silent = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  static async to(port: number, at = 0): Promise<Relay> {
    const server = createServer();
    const relay = new Relay(server);
    server.on('connection', (client) => {
      const upstream = connect(port, '127.0.0.1');
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        relay.#sockets.add(from);
        from.on('data', (chunk) => {
          if (!relay.#silent) to.write(chunk);
        });
        from.on('error', () => undefined);
        from.on('close', () => {
          relay.#sockets.delete(from);
          if (!relay.#silent) to.destroy();
        });
      }
    });
    await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
    return relay;
  }

  /** From now on nothing passes, in either direction. */
  fallSilent(): void {
    this.#silent = true;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
