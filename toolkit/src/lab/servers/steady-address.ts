/**
 * One loopback address that always leads to the server which is the primary just now, as a virtual IP or a DNS name
 * does after a failover by hand. What is connected when a server dies is cut off and must connect again.
 *
 * @module
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class SteadyAddress {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #target: number;

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
    server.on('connection', (client) => this.#forward(client));
  }

  static start(targetPort: number): Promise<SteadyAddress> {
    return new Promise((resolve, reject) => {
      const server = createServer();
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => resolve(new SteadyAddress(server, targetPort)));
    });
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on new connections go there. */
  pointTo(targetPort: number): void {
    this.#target = targetPort;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }

  #forward(client: Socket): void {
    const upstream = connect({ host: '127.0.0.1', port: this.#target });
    const ends = [client, upstream];
    for (const socket of ends) {
      this.#open.add(socket);
      socket.setNoDelay(true);
      // Either end takes the other with it. An error is followed by a close, which does the work.
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#open.delete(socket);
        for (const other of ends) other.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  }
}
