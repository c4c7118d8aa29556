/**
 * The links between the members of a cluster, each through a relay that reads who speaks: a member can be cut off from
 * the others, and goes on serving its clients, without any tool of the kernel.
 *
 * @module
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Link {
  readonly to: number;
  /** The id of the member that has opened it, as it says itself; undefined for a probe, which says nothing. */
  readonly from: string | undefined;
  readonly sockets: readonly Socket[];
}

export class PeerLinks {
  /** Where the members are to look for each other. */
  readonly ports: readonly number[];
  readonly #servers: readonly Server[];
  readonly #links: Set<Link> = new Set();
  #isolated: { readonly index: number; readonly id: string } | undefined;

  private constructor(servers: readonly Server[], ports: readonly number[], targets: readonly number[]) {
    this.#servers = servers;
    this.ports = ports;
    for (const [index, server] of servers.entries()) {
      server.on('connection', (socket) => this.#accept(socket, index, targets[index] as number));
    }
  }

  /** `targets` are the ports on which the members listen for each other. */
  static async start(targets: readonly number[]): Promise<PeerLinks> {
    const servers = await Promise.all(targets.map(() => listening()));
    const ports = servers.map((server) => (server.address() as { port: number }).port);
    return new PeerLinks(servers, ports, targets);
  }

  /** Cuts a member off from all others, in both directions. */
  isolate(index: number, id: string): void {
    this.#isolated = { index, id };
    for (const link of this.#links) if (this.#isCut(link)) end(link);
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const link of this.#links) end(link);
  }

  #isCut({ to, from }: Pick<Link, 'to' | 'from'>): boolean {
    return this.#isolated !== undefined && (to === this.#isolated.index || from === this.#isolated.id);
  }

  /** Each connection belongs to one member, which names itself in the head of every request. */
  #accept(client: Socket, to: number, target: number): void {
    let head: Buffer = Buffer.alloc(0);
    client.on('error', () => undefined);
    const read = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      if (!head.includes('\r\n\r\n')) return;
      client.off('data', read);
      const from = /^x-server-from: ([0-9a-f]+)/im.exec(head.toString('latin1'))?.[1];
      const server = connect(target, '127.0.0.1');
      server.on('error', () => client.destroy());
      const link: Link = { to, from, sockets: [client, server] };
      if (this.#isCut(link)) {
        end(link);
        return;
      }
      this.#links.add(link);
      for (const socket of link.sockets) {
        socket.on('close', () => {
          this.#links.delete(link);
          end(link);
        });
      }
      server.write(head);
      client.pipe(server).pipe(client);
    };
    client.on('data', read);
  }
}

function end({ sockets }: Link): void {
  for (const socket of sockets) socket.destroy();
}

async function listening(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
