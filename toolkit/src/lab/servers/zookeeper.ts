/**
 * A ZooKeeper of the lab: one server or three, on free loopback ports, in the lab's folder, ended by their pids.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import type { Reaper } from '../reaper.ts';
import { freePort } from './free-port.ts';
import { type Ensemble, kill, type Member } from './member.ts';
import { onFreePorts, type Program, startProgram, untilAllAnswer } from './program.ts';

/** What one look of the lab at a server may take; a server that is stopped gives no answer at all. */
const LOOK_LIMIT_MS = 1_000;

/** What a count may take: nobody is stopped then, but the machine may be busy. */
const COUNT_LIMIT_MS = 20_000;

/** A session is at least two ticks long, and ends up to a tick late. */
const TICK_MS = 500;

/** A small heap and a quick start. */
const JAVA_FLAGS = ['-Xms32m', '-Xmx96m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

const MAIN_CLASS = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';

export interface ZooKeeperOptions {
  readonly reaper: Reaper;
  readonly java: string;
  readonly jar: string;
  readonly folder: string;
  readonly members: 1 | 3;
}

interface Ports {
  readonly client: number;
  readonly peer: number;
  readonly election: number;
}

/** Resolves when all servers serve, and one of three leads. */
export function startZooKeeper(options: ZooKeeperOptions): Promise<Ensemble> {
  return onFreePorts(() => tryToStart(options));
}

async function tryToStart({ reaper, java, jar, folder, members: count }: ZooKeeperOptions): Promise<Ensemble> {
  const ports = await Promise.all(
    Array.from({ length: count }, async (): Promise<Ports> => {
      return { client: await freePort(), peer: await freePort(), election: await freePort() };
    }),
  );
  const started = ports.map(({ client }, index) => {
    const name = count === 1 ? 'zookeeper' : `zookeeper-${index + 1}`;
    const data = path.join(folder, `${name}-${client}`);
    const config = writeConfig(data, index, ports);
    const program: Program = { name, file: java, args: [...JAVA_FLAGS, '-cp', jar, MAIN_CLASS, config], folder };
    const process = startProgram(reaper, program);
    const address = `127.0.0.1:${client}`;
    // Whatever has the port in our place has its data elsewhere.
    const answers = async (): Promise<boolean> =>
      (await fourLetters(address, 'srvr')).includes('Mode:') && (await fourLetters(address, 'conf')).includes(data);
    return { program, process, answers, member: { name, process, pid: process.pid ?? 0, address } };
  });
  await untilAllAnswer(started);
  const members = started.map(({ member }) => member);
  const version = /version: ([\d.]+)/.exec(await fourLetters((members[0] as Member).address, 'srvr'))?.[1] ?? '?';
  return ensembleOf(members, `zookeeper ${version}`);
}

function writeConfig(data: string, index: number, ports: readonly Ports[]): string {
  mkdirSync(data, { recursive: true });
  writeFileSync(path.join(data, 'myid'), String(index + 1));
  const lines = [
    `tickTime=${TICK_MS}`,
    'initLimit=20',
    'syncLimit=10',
    'maxSessionTimeout=600000',
    'maxClientCnxns=0',
    'admin.enableServer=false',
    '4lw.commands.whitelist=srvr,mntr,conf,cons',
    `dataDir=${data}`,
    'clientPortAddress=127.0.0.1',
    `clientPort=${ports[index]?.client}`,
  ];
  if (ports.length > 1) {
    const servers = ports.map(({ peer, election }, at) => `server.${at + 1}=127.0.0.1:${peer}:${election}`);
    lines.push(...servers);
  }
  const config = path.join(data, 'zoo.cfg');
  writeFileSync(config, `${lines.join('\n')}\n`);
  return config;
}

function ensembleOf(members: readonly Member[], version: string): Ensemble {
  return {
    members,
    version,
    urlOf: (some) => `zookeeper://${some.map(({ address }) => address).join(',')}`,
    async leader() {
      const modes = await Promise.all(members.map(({ address }) => fourLetters(address, 'srvr').catch(() => '')));
      return members[modes.findIndex((mode) => /Mode: (leader|standalone)/.test(mode))];
    },
    async openWatches() {
      const reports = await Promise.all(members.map(({ address }) => fourLetters(address, 'mntr').catch(() => '')));
      return sumOf(reports, /^zk_watch_count\t(\d+)/gm);
    },
    async counts() {
      const reports = await Promise.all(members.map(({ address }) => fourLetters(address, 'mntr', COUNT_LIMIT_MS)));
      return {
        requests: sumOf(reports, /^zk_packets_received\t(\d+)/gm),
        watchesAnswered: sumOf(reports, /^zk_sum_node_\w+_watch_count\t(\d+)/gm),
      };
    },
    dated: ({ name, pid, address }) => ({
      name,
      pid,
      says: 'time of a new connection',
      dates: async () => [await connectedAt(address)],
    }),
    stop() {
      for (const { process } of members) kill(process);
    },
  };
}

function sumOf(reports: readonly string[], pattern: RegExp): number {
  return reports.flatMap((report) => [...report.matchAll(pattern)]).reduce((sum, [, n]) => sum + Number(n), 0);
}

/** One of the commands of four letters that a server answers on its client port. */
function fourLetters(
  address: string,
  command: 'srvr' | 'mntr' | 'conf' | 'cons',
  limitMs: number = LOOK_LIMIT_MS,
): Promise<string> {
  const [host = '', port] = address.split(':');
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ host, port: Number(port), timeout: limitMs }, () => socket.write(command));
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.once('timeout', () => socket.destroy(new Error(`${address} does not answer.`)));
    socket.once('error', reject);
    socket.once('close', () => resolve(answer));
  });
}

/** Of its date it tells when a session was connected, and nothing else: so one is, and it is asked for that. */
async function connectedAt(address: string): Promise<number> {
  const [host = '', port] = address.split(':');
  const socket = connect({ host, port: Number(port), timeout: LOOK_LIMIT_MS });
  try {
    const answer = await new Promise<Buffer>((resolve, reject) => {
      socket.once('timeout', () => reject(new Error(`${address} does not answer.`)));
      socket.once('error', reject);
      socket.once('data', resolve);
      socket.write(CONNECT);
    });
    // Its length, the version of the protocol and the timeout stand before the number of the session.
    const session = `0x${answer.readBigUInt64BE(12).toString(16)}`;
    const line = (await fourLetters(address, 'cons')).split('\n').find((one) => one.includes(`sid=${session},`));
    return Number(/\best=(\d+)/.exec(line ?? '')?.[1]) / 1_000;
  } finally {
    socket.destroy();
  }
}

/** The first message of a client: version 0, nothing seen yet, a short timeout, no session so far, and an empty password. */
const CONNECT: Buffer = (() => {
  const message = Buffer.alloc(4 + 44);
  message.writeInt32BE(44, 0);
  message.writeInt32BE(2_000, 16);
  message.writeInt32BE(16, 28);
  return message;
})();
