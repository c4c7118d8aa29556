/**
 * A server in a network of its own (a namespace of Linux), and lines to it that can really be cut: each is a pair of virtual
 * network cards. What is sent on a line that is cut is lost, acknowledgements of TCP included, and neither end hears of it:
 * the neighbour's hardware address, as the sender knows it, is nobody's from then on.
 *
 * All of it ends with the processes in the namespace, some minutes later at the latest where they have left something unsent.
 *
 * @module
 */
import { type ChildProcess, execFile, spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import type { Reaper } from '../reaper.ts';
import { until } from '../until.ts';
import { end } from './on-free-port.ts';
import { startProgram } from './program.ts';

const execute = promisify(execFile);

/** Why that cannot be done here; undefined if it can. Tries it, in a namespace that ends at once. */
export function whyNoLine(platform: NodeJS.Platform = process.platform): string | undefined {
  const needs =
    'A line that can be cut is a veth pair into a network namespace, which needs Linux, root and the program ip';
  if (platform !== 'linux') return `${needs}.`;
  const pair = ['ip', 'link', 'add', 'hf0', 'type', 'veth', 'peer', 'name', 'hf1'];
  const { status, stderr, error } = spawnSync('unshare', ['--net', ...pair], { encoding: 'utf8' });
  if (status === 0) return undefined;
  return `${needs}: ${error?.message ?? stderr.trim().split('\n')[0]}.`;
}

export class Network {
  /** For the lab and the rival. */
  readonly line: Line;
  /** For the first holder. */
  readonly lineOfA: Line;
  readonly #keeper: ChildProcess;

  private constructor(keeper: ChildProcess, line: Line, lineOfA: Line) {
    this.#keeper = keeper;
    this.line = line;
    this.lineOfA = lineOfA;
  }

  static async start(reaper: Reaper, folder: string): Promise<Network> {
    const args = ['--net', 'sleep', 'infinity'];
    const keeper = startProgram(reaper, { name: 'network', file: 'unshare', args, folder });
    const { pid } = keeper;
    if (pid === undefined) throw new Error('unshare could not be started.');
    const isApart = (): boolean => readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net');
    await until('A network namespace', isApart, { limitMs: 10_000, everyMs: 10 });
    await execute('nsenter', [...into(pid), 'sh', '-c', SET_UP]);
    return new Network(keeper, await Line.lay(pid, 'line'), await Line.lay(pid, 'line-of-a'));
  }

  /** What stands before the command of a program that is to run in there. */
  get enter(): readonly string[] {
    return ['nsenter', ...into(this.#keeper.pid as number)];
  }

  /** After the server has ended. */
  async stop(): Promise<void> {
    await this.line.remove();
    await this.lineOfA.remove();
    await end(this.#keeper, 'SIGKILL');
  }
}

/** What a server leaves behind that ends while nothing is acknowledged is soon dropped: it would keep the namespace. */
const SET_UP = 'ip link set lo up && echo 1 > /proc/sys/net/ipv4/tcp_orphan_retries';

/** What the server's kernel knows of one connection. */
export interface ServerSide {
  readonly state: 'established' | 'ended-by-server' | 'other';
  /** What it has sent, or has yet to send, and nobody has acknowledged. */
  readonly unacknowledgedBytes: number;
}

export class Line {
  /** The server's address on it. */
  readonly address: string;
  readonly #card: string;
  readonly #keeper: number;
  readonly #theirCard: string;
  readonly #ourAddress: string;

  private constructor(number: number, keeper: number, theirCard: string) {
    this.#card = cardOf(number);
    this.#ourAddress = addressOf(4 * number + 1);
    this.address = addressOf(4 * number + 2);
    this.#keeper = keeper;
    this.#theirCard = theirCard;
  }

  static async lay(keeper: number, theirCard: string): Promise<Line> {
    const line = new Line(freeNumber(), keeper, theirCard);
    await line.#lay();
    return line;
  }

  async #lay(): Promise<void> {
    const peer = ['peer', 'name', this.#theirCard, 'netns', String(this.#keeper)];
    await this.#here('link', 'add', this.#card, 'type', 'veth', ...peer);
    await this.#here('addr', 'add', `${this.#ourAddress}/30`, 'dev', this.#card);
    await this.#there('addr', 'add', `${this.address}/30`, 'dev', this.#theirCard);
    await this.#here('link', 'set', this.#card, 'up');
    await this.#there('link', 'set', this.#theirCard, 'up');
  }

  /** From now on nothing that the client sends arrives. */
  async cutRequests(): Promise<void> {
    await this.#here('neigh', 'replace', this.address, ...NOBODY, 'dev', this.#card);
  }

  /** From now on nothing that the server sends arrives. */
  async cutAnswers(): Promise<void> {
    await this.#there('neigh', 'replace', this.#ourAddress, ...NOBODY, 'dev', this.#theirCard);
  }

  /** Both cards. */
  async remove(): Promise<void> {
    await this.#here('link', 'del', this.#card);
  }

  /** By the client's port. */
  connections(): ReadonlyMap<string, ServerSide> {
    const lines = readFileSync(`/proc/${this.#keeper}/net/tcp`, 'utf8').trim().split('\n').slice(1);
    const found = new Map<string, ServerSide>();
    for (const line of lines) {
      const [, local = '', remote = '', state = '', queues = ''] = line.trim().split(/\s+/);
      if (!local.startsWith(`${asKernelWrites(this.address)}:`)) continue;
      const unacknowledgedBytes = Number.parseInt(queues, 16);
      found.set(remote.split(':')[1] ?? '', { state: STATES[state] ?? 'other', unacknowledgedBytes });
    }
    return found;
  }

  async #here(...args: readonly string[]): Promise<void> {
    await execute('ip', args);
  }

  async #there(...args: readonly string[]): Promise<void> {
    await execute('nsenter', [...into(this.#keeper), 'ip', ...args]);
  }
}

/** A hardware address that no card here has. */
const NOBODY: readonly string[] = ['lladdr', '02:00:00:00:00:00', 'nud', 'permanent'];

/** As `/proc/net/tcp` has them: one that the server has ended waits for an acknowledgement of that. */
const STATES: Readonly<Record<string, ServerSide['state']>> = { '01': 'established', '04': 'ended-by-server' };

function into(pid: number): readonly string[] {
  return [`--net=/proc/${pid}/ns/net`, '--'];
}

/** Four addresses for each line, of those that are set aside for measurements of networks: 198.18.0.0/15. */
const LINES = 2 ** 15;

function freeNumber(): number {
  const taken = networkInterfaces();
  for (;;) {
    const number = Math.floor(Math.random() * LINES);
    if (taken[cardOf(number)] === undefined) return number;
  }
}

function cardOf(number: number): string {
  return `holdfast${number}`;
}

function addressOf(offset: number): string {
  return `198.${18 + (offset >> 16)}.${(offset >> 8) & 255}.${offset & 255}`;
}

/** Hexadecimal, the last byte first. */
function asKernelWrites(address: string): string {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  return bytes.reverse().join('').toUpperCase();
}
