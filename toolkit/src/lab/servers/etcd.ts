/**
 * An etcd of the lab: one member or three, on free loopback ports, in the lab's folder, ended by their pids.
 *
 * @module
 */
import path from 'node:path';
import type { Reaper } from '../reaper.ts';
import { freePort } from './free-port.ts';
import { type Ensemble, hasEnded, kill, type Member } from './member.ts';
import { onFreePorts, type Program, startProgram, untilAllAnswer } from './program.ts';

/** What one look of the lab at a member may take; a member that is stopped gives no answer at all. */
const LOOK_LIMIT_MS = 1_000;

/** What a count may take: nobody is stopped then, but the machine may be busy. */
const COUNT_LIMIT_MS = 20_000;

/**
 * Of one member only the shortest TTL depends on it, one and a half of that. Three keep etcd's own default, so that a
 * busy machine does not make them elect for nothing.
 */
const ELECTION_MS = { alone: 500, together: 1_000 };

export interface EtcdOptions {
  readonly reaper: Reaper;
  /** The etcd program. */
  readonly program: string;
  readonly folder: string;
  readonly members: 1 | 3;
}

interface Ports {
  readonly client: number;
  readonly peer: number;
}

/** Resolves when all members answer and one of them leads. */
export function startEtcd(options: EtcdOptions): Promise<Ensemble> {
  return onFreePorts(() => tryToStart(options));
}

async function tryToStart({ reaper, program, folder, members: count }: EtcdOptions): Promise<Ensemble> {
  const ports = await Promise.all(
    Array.from({ length: count }, async (): Promise<Ports> => ({ client: await freePort(), peer: await freePort() })),
  );
  const cluster = ports.map(({ peer }, index) => `${nameOf(index, count)}=http://127.0.0.1:${peer}`).join(',');
  const started = ports.map(({ client, peer }, index) => {
    const name = nameOf(index, count);
    const args = argumentsFor(name, { client, peer }, cluster, path.join(folder, `${name}-${client}`), count);
    const one: Program = { name, file: program, args, folder };
    const process = startProgram(reaper, one);
    const address = `127.0.0.1:${client}`;
    // Whatever has the port in our place has another peer.
    const answers = async (): Promise<boolean> => (await ask(address, 'cluster/member/list')).includes(`:${peer}"`);
    return { program: one, process, answers, member: { name, process, pid: process.pid ?? 0, address } };
  });
  await untilAllAnswer(started);
  const members = started.map(({ member }) => member);
  const { version } = await statusOf(members[0] as Member);
  return ensembleOf(members, `etcd ${version}`);
}

function nameOf(index: number, count: number): string {
  return count === 1 ? 'etcd' : `etcd-${index + 1}`;
}

function argumentsFor(name: string, ports: Ports, cluster: string, data: string, count: 1 | 3): string[] {
  const [client, peer] = [ports.client, ports.peer].map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const election = count === 1 ? ELECTION_MS.alone : ELECTION_MS.together;
  return [
    ...['--name', name, '--data-dir', data, '--initial-cluster', cluster, '--initial-cluster-token', cluster],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ...['--election-timeout', String(election), '--heartbeat-interval', '100'],
  ];
}

function ensembleOf(members: readonly Member[], version: string): Ensemble {
  return {
    members,
    version,
    urlOf: (some) => `etcd://${some.map(({ address }) => address).join(',')}`,
    async leader() {
      const statuses = await Promise.all(members.map((member) => statusOf(member).catch(() => undefined)));
      // A member that was the leader may not know yet that it no longer is: the newest term counts.
      const [newest] = statuses.flatMap((status) => status ?? []).sort((one, other) => other.term - one.term);
      const index = statuses.findIndex((status) => status !== undefined && status.id === newest?.leader);
      const member = members[index];
      return member && !hasEnded(member.process) ? member : undefined;
    },
    async openWatches() {
      const texts = await Promise.all(members.map((member) => metricsOf(member, LOOK_LIMIT_MS).catch(() => '')));
      return sumOf(texts, 'etcd_debugging_mvcc_watcher_total');
    },
    async counts() {
      const texts = await Promise.all(members.map((member) => metricsOf(member, COUNT_LIMIT_MS)));
      return {
        requests: sumOf(texts, 'grpc_server_msg_received_total'),
        watchesAnswered: sumOf(texts, 'etcd_debugging_mvcc_events_total'),
      };
    },
    dated: ({ name, pid, address }) => ({
      name,
      pid,
      says: 'Date header',
      dates: async () => [await dateOf(address)],
    }),
    async writeSomething() {
      const put = JSON.stringify({ key: 'aG9sZGZhc3QtbGFi', value: 'MQ==' });
      await Promise.any(members.map(({ address }) => ask(address, 'kv/put', put)));
    },
    stop() {
      for (const { process } of members) kill(process);
    },
  };
}

interface Status {
  readonly id: string;
  /** Its id, and 0 where there is none. */
  readonly leader: string;
  readonly term: number;
  readonly version: string;
}

async function statusOf({ address }: Member): Promise<Status> {
  const { header, leader, raftTerm, version } = JSON.parse(await ask(address, 'maintenance/status'));
  return { id: header.member_id, leader, term: Number(raftTerm), version };
}

/** Of all members that have answered, whatever its labels are. */
function sumOf(texts: readonly string[], metric: string): number {
  const line = new RegExp(`^${metric}(?:\\{.*\\})? (\\S+)$`, 'gm');
  return texts.flatMap((text) => [...text.matchAll(line)]).reduce((sum, [, n]) => sum + Number(n), 0);
}

async function metricsOf({ address }: Member, limitMs: number): Promise<string> {
  const response = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(limitMs) });
  return await response.text();
}

/** As it stands in each of its answers over HTTP. */
async function dateOf(address: string): Promise<number> {
  const response = await fetch(`http://${address}/version`, { signal: AbortSignal.timeout(LOOK_LIMIT_MS) });
  return Date.parse(response.headers.get('date') ?? '') / 1_000;
}

async function ask(address: string, call: string, body = '{}'): Promise<string> {
  const signal = AbortSignal.timeout(LOOK_LIMIT_MS);
  const response = await fetch(`http://${address}/v3/${call}`, { method: 'POST', body, signal });
  if (!response.ok) throw new Error(`etcd answered ${call} with ${response.status}.`);
  return await response.text();
}
