/**
 * What lies between clients and servers: a way that can be cut, or a long one. Whatever the servers are, their URL names
 * loopback addresses, and each of them is led over something that stands before it.
 *
 * @module
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Relay } from 'holdfast/contract';
import type { Cluster } from './cluster.ts';
import type { Experiment } from './experiment.ts';
import { BlackHole } from './servers/black-hole.ts';

/** What the experiment wants to lie there. */
export async function withWays(cluster: Cluster, { waysOfACanBeCut, distanceMs }: Experiment): Promise<Cluster> {
  if (waysOfACanBeCut) return await withWaysOfA(cluster);
  return distanceMs === undefined ? cluster : await atDistance(cluster, distanceMs);
}

/** The first holder's ways to the servers can be cut. */
async function withWaysOfA(cluster: Cluster): Promise<Cluster> {
  const { url, ways } = await led(cluster.urlOfA ?? cluster.url, (port) => BlackHole.start(port, () => {}));
  return {
    ...cluster,
    urlOfA: url,
    waysOfA: ways,
    closeWays() {
      for (const way of ways) way.close();
    },
  };
}

/** Everything that anybody sends travels so long, and each answer as well. */
async function atDistance(cluster: Cluster, distanceMs: number): Promise<Cluster> {
  const start = (port: number): Promise<Relay> => slowRelay(port, distanceMs);
  const { url, ways } = await led(cluster.url, start);
  return {
    ...cluster,
    url,
    roundTripMs: () => roundTripMs(distanceMs),
    async closeWays() {
      await Promise.all(ways.map((way) => way.close()));
    },
  };
}

/** Leads each address in a URL over something that is started for its port. */
async function led<Way extends { readonly port: number }>(
  url: string,
  start: (port: number) => Promise<Way>,
): Promise<{ readonly url: string; readonly ways: readonly Way[] }> {
  const address = /(?<=\b127\.0\.0\.1:)\d+/g;
  const ports = [...new Set(url.match(address) ?? [])];
  const ways = await Promise.all(ports.map((port) => start(Number(port))));
  return { url: url.replaceAll(address, (port) => String(ways[ports.indexOf(port)]?.port)), ways };
}

async function slowRelay(port: number, delayMs: number): Promise<Relay> {
  const relay = await Relay.start(port);
  relay.slow(delayMs);
  return relay;
}

/** How often the way there and back is gone, to know how long it is. */
const ROUND_TRIPS = 15;

/** What a byte needs at least over such a relay and back: timers make it longer than two ways. */
async function roundTripMs(distanceMs: number): Promise<number> {
  const echo = createServer((socket) => {
    socket.setNoDelay();
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => socket.write(chunk));
  });
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const relay = await slowRelay((echo.address() as AddressInfo).port, distanceMs);
  const client = connect({ host: '127.0.0.1', port: relay.port, noDelay: true });
  try {
    await once(client, 'connect');
    const times: number[] = [];
    for (let count = 0; count < ROUND_TRIPS; count++) {
      const sentAt = performance.now();
      client.write('x');
      await once(client, 'data');
      times.push(performance.now() - sentAt);
    }
    return Math.min(...times);
  } finally {
    client.destroy();
    await relay.close();
    echo.close();
  }
}
