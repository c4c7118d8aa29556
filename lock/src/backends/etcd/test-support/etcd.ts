/**
 * Real etcd servers for the tests: one, or a cluster, on free loopback ports and in a temporary folder.
 *
 * @module
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stop } from '../../../test-support/stop.ts';
import { PeerLinks } from './peer-links.ts';

const run = promisify(execFile);

/** Election timeouts short enough that etcd grants a TTL of 1 s, and long enough for a loaded machine. */
const TIMES = ['--heartbeat-interval', '100', '--election-timeout', '500'];

/** A killed server keeps what the system has, and only a power cut would take it. */
const NO_FLUSHING = '--unsafe-no-fsync';

interface Member {
  readonly name: string;
  readonly port: number;
  readonly peerPort: number;
  child: ChildProcess | undefined;
}

export interface TestTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface TestEtcdOptions {
  readonly members?: number;
  /** Files for TLS between clients and servers; clients must bring a certificate, too. */
  readonly tls?: TestTls;
  readonly args?: readonly string[];
  /** Members reach each other through relays, so that `isolate` can cut one off. */
  readonly isolatable?: boolean;
}

export class TestEtcd {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'holdfast-etcd-'));
  readonly #members: readonly Member[];
  readonly #options: TestEtcdOptions;
  #links: PeerLinks | undefined;
  readonly #killAtExit = (): void => {
    for (const { child } of this.#members) child?.kill('SIGKILL');
  };

  private constructor(members: readonly Member[], options: TestEtcdOptions) {
    this.#members = members;
    this.#options = options;
    process.once('exit', this.#killAtExit);
  }

  static async start(options: TestEtcdOptions = {}): Promise<TestEtcd> {
    const count = options.members ?? 1;
    const ports = await freePorts(2 * count);
    const members = Array.from({ length: count }, (_, index): Member => {
      const [port = 0, peerPort = 0] = ports.slice(2 * index);
      return { name: `e${index + 1}`, port, peerPort, child: undefined };
    });
    const etcd = new TestEtcd(members, options);
    try {
      if (options.isolatable) etcd.#links = await PeerLinks.start(members.map(({ peerPort }) => peerPort));
      for (const index of members.keys()) etcd.startMember(index);
      await etcd.answers();
      return etcd;
    } catch (error) {
      await etcd.stop();
      throw error;
    }
  }

  get port(): number {
    return this.#member(0).port;
  }

  get endpoints(): readonly string[] {
    return this.#members.map(({ port }) => `${this.#scheme}://127.0.0.1:${port}`);
  }

  /** Resolves when the cluster takes writes. */
  async answers(limitMs = 20_000): Promise<void> {
    const giveUpAt = Date.now() + limitMs;
    for (;;) {
      try {
        await this.ctl('put', 'holdfast-test-probe', '1');
        await this.ctl('del', 'holdfast-test-probe');
        return;
      } catch (error) {
        // With authentication on, a refusal is an answer.
        if (/user name is empty|permission denied/.test(String((error as { stderr?: string }).stderr))) return;
        if (Date.now() > giveUpAt) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  startMember(index: number): void {
    const member = this.#member(index);
    const advertised = this.#members.map(({ peerPort }, each) => this.#links?.ports[each] ?? peerPort);
    const peers = this.#members.map(({ name }, each) => `${name}=http://127.0.0.1:${advertised[each]}`).join(',');
    const client = `${this.#scheme}://127.0.0.1:${member.port}`;
    const peer = `http://127.0.0.1:${member.peerPort}`;
    const { tls, args = [] } = this.#options;
    const log = openSync(join(this.folder, `${member.name}.log`), 'a');
    member.child = spawn(
      'etcd',
      [
        ...['--name', member.name, '--data-dir', join(this.folder, member.name)],
        ...['--listen-client-urls', client, '--advertise-client-urls', client],
        ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', `http://127.0.0.1:${advertised[index]}`],
        ...['--initial-cluster', peers],
        ...TIMES,
        NO_FLUSHING,
        ...(tls === undefined
          ? []
          : ['--cert-file', tls.cert, '--key-file', tls.key, '--trusted-ca-file', tls.ca, '--client-cert-auth']),
        ...args,
      ],
      { stdio: ['ignore', log, log], env: { PATH: process.env.PATH } },
    );
    member.child.on('error', () => undefined); // answers() says so, with the error of etcdctl
  }

  async kill(index: number): Promise<void> {
    const member = this.#member(index);
    const { child } = member;
    if (child === undefined) return;
    member.child = undefined;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await gone;
  }

  signal(index: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    const { child } = this.#member(index);
    if (signal === 'SIGSTOP') stop(child?.pid);
    else child?.kill(signal);
  }

  /** Cuts a member off from the others; its clients go on reaching it. */
  async isolate(index: number): Promise<void> {
    const { name } = this.#member(index);
    const members = (await this.ctl('member', 'list')).trim().split('\n');
    const id = members.map((line) => line.split(', ')).find((parts) => parts[2] === name)?.[0];
    if (this.#links === undefined || id === undefined) throw new Error(`${name} cannot be cut off.`);
    this.#links.isolate(index, id);
  }

  pidOf(index: number): number {
    return this.#member(index).child?.pid as number;
  }

  /** Kills all members and starts them again with their data. */
  async restart(): Promise<void> {
    await Promise.all(this.#members.map((_, index) => this.kill(index)));
    for (const index of this.#members.keys()) this.startMember(index);
    await this.answers();
  }

  /** Which member leads. */
  async leader(): Promise<number> {
    for (;;) {
      for (const [index, { port }] of this.#members.entries()) {
        const status = await this.#ctlOn([port], ['endpoint', 'status', '--write-out=json']).catch(() => undefined);
        if (status === undefined) continue;
        const [{ Status }] = JSON.parse(losslessIds(status)) as [
          { Status: { header: { member_id: string }; leader?: string } },
        ];
        if (Status.header.member_id === Status.leader) return index;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Runs etcdctl, and gives what it prints. */
  ctl(...args: readonly string[]): Promise<string> {
    return this.#ctlOn(
      this.#members.filter(({ child }) => child !== undefined).map(({ port }) => port),
      args,
    );
  }

  /** The same with something on its standard input. */
  ctlWithInput(input: string, ...args: readonly string[]): Promise<string> {
    return this.#ctlOn([this.port], args, input);
  }

  /** How to run etcdctl by hand: its arguments, and its environment. */
  ctlCommand(): { readonly args: readonly string[]; readonly env: Record<string, string | undefined> } {
    const endpoints = this.#members.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return { args: ['--endpoints', endpoints], env: { PATH: process.env.PATH, ETCDCTL_API: '3' } };
  }

  /** A number of the first member's metrics. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${this.port}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.split(' ')[1] ?? 0);
  }

  /** How many calls of this method the first member has had. */
  async calls(method: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${this.port}/metrics`)).text();
    const ofMethod = new RegExp(`^grpc_server_started_total\\{grpc_method="${method}",.*\\} (\\d+)$`, 'm');
    return Number(ofMethod.exec(text)?.[1] ?? 0);
  }

  /** All keys. */
  async residue(): Promise<readonly string[]> {
    const keys = await this.ctl('get', '', '--from-key', '--keys-only');
    return keys
      .split('\n')
      .filter((line) => line !== '')
      .sort();
  }

  async leases(): Promise<readonly string[]> {
    const [, ...ids] = (await this.ctl('lease', 'list')).trim().split('\n');
    return ids;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map((_, index) => this.kill(index)));
    this.#links?.close();
    process.removeListener('exit', this.#killAtExit);
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #ctlOn(ports: readonly number[], args: readonly string[], input = ''): Promise<string> {
    const endpoints = ports.map((port) => `${this.#scheme}://127.0.0.1:${port}`).join(',');
    const { tls } = this.#options;
    const secure = tls === undefined ? [] : ['--cacert', tls.ca, '--cert', tls.cert, '--key', tls.key];
    const command = ['--endpoints', endpoints, '--dial-timeout', '2s', '--command-timeout', '3s', ...secure, ...args];
    const running = run('etcdctl', command, { env: { PATH: process.env.PATH, ETCDCTL_API: '3' } });
    running.child.stdin?.on('error', () => undefined); // it may end before it has read anything
    running.child.stdin?.end(input);
    return (await running).stdout;
  }

  get #scheme(): string {
    return this.#options.tls === undefined ? 'http' : 'https';
  }

  #member(index: number): Member {
    const member = this.#members[index];
    if (member === undefined) throw new Error(`There is no member ${index}.`);
    return member;
  }
}

/** Ids are numbers of 64 bits in etcdctl's JSON. */
function losslessIds(json: string): string {
  return json.replace(/:(\d{16,})/g, ':"$1"');
}

/** Ports that were free a moment ago, all different. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
