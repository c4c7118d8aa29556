/**
 * Three servers that elect a leader. Each reaches the others' leader port through a relay, so that a test can cut one off.
 *
 * @module
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Relay } from '../../../contract/relay.ts';
import { freePorts, ZooKeeperServer } from './servers.ts';

const SIZE = 3;

export class Ensemble {
  readonly servers: readonly ZooKeeperServer[];
  /** By the index of who follows: its ways to the others. */
  readonly #ways: readonly (readonly Relay[])[];
  readonly #folder: string;

  private constructor(folder: string, servers: readonly ZooKeeperServer[], ways: readonly (readonly Relay[])[]) {
    this.#folder = folder;
    this.servers = servers;
    this.#ways = ways;
  }

  static async start(config: readonly string[] = []): Promise<Ensemble> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-zookeeper-'));
    const ports = await freePorts(SIZE * 3);
    const [clientPorts, leaderPorts, electionPorts] = [ports.slice(0, 3), ports.slice(3, 6), ports.slice(6, 9)];
    const ways = await Promise.all(
      clientPorts.map(() => Promise.all(leaderPorts.map((leaderPort) => Relay.start(leaderPort)))),
    );
    const servers = clientPorts.map((port, self) => {
      const members = leaderPorts.map((leaderPort, other) => {
        const seenPort = other === self ? leaderPort : portOf(ways, self, other);
        return `server.${other + 1}=127.0.0.1:${seenPort}:${electionPorts[other]}`;
      });
      return new ZooKeeperServer({ folder: join(folder, String(self + 1)), port, config: [...members, ...config] });
    });
    const ensemble = new Ensemble(folder, servers, ways);
    for (const [index, server] of servers.entries()) {
      await mkdir(server.folder);
      await writeFile(join(server.folder, 'myid'), String(index + 1));
      await server.spawn();
    }
    await ensemble.untilReady();
    return ensemble;
  }

  /** A connect string of all three. */
  get addresses(): string {
    return this.servers.map(({ address }) => address).join(',');
  }

  async untilReady(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.untilReady()));
  }

  async leader(): Promise<ZooKeeperServer> {
    for (const server of this.servers) {
      if ((await server.ask('srvr').catch(() => '')).includes('Mode: leader')) return server;
    }
    throw new Error('The ensemble has no leader.');
  }

  async followers(): Promise<ZooKeeperServer[]> {
    const leader = await this.leader();
    return this.servers.filter((server) => server !== leader);
  }

  /** A follower and the leader hear nothing of each other any more; clients still reach both. */
  cutOff(follower: ZooKeeperServer): void {
    for (const relay of this.#ways[this.servers.indexOf(follower)] ?? []) relay.blackHole();
  }

  heal(): void {
    for (const relay of this.#ways.flat()) relay.heal();
  }

  /** Kills the leader, and starts it again; resolves when all three answer. */
  async restartLeader(): Promise<void> {
    const leader = await this.leader();
    await leader.kill();
    await leader.spawn();
    await this.untilReady();
  }

  pause(): void {
    for (const server of this.servers) server.pause();
  }

  resume(): void {
    for (const server of this.servers) server.resume();
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.kill()));
    await Promise.all(this.#ways.flat().map((relay) => relay.close()));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function portOf(ways: readonly (readonly Relay[])[], from: number, to: number): number {
  const relay = ways[from]?.[to];
  if (relay === undefined) throw new Error(`There is no way from ${from} to ${to}.`);
  return relay.port;
}
