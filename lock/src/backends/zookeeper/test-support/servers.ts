/**
 * Real ZooKeeper servers for the tests: one, or an ensemble of three, on free ports of the loopback, in a temporary folder.
 *
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stop } from '../../../test-support/stop.ts';

/** Where Debian puts it; its manifest names the jars that it needs. */
const ZOOKEEPER_JAR: string = process.env.HOLDFAST_ZOOKEEPER_JAR ?? '/usr/share/java/zookeeper.jar';

/** What its manifest leaves out, and the server needs for TLS. */
const TLS_JARS = ['netty-codec', 'netty-resolver', 'netty-transport-native-unix-common'].map(
  (name) => `/usr/share/java/${name}.jar`,
);

/** A small heap and a quick start. */
export const JVM_FLAGS: readonly string[] = ['-Xms32m', '-Xmx96m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** A tick of 100 ms allows sessions of 200 ms, so that the cases of the contract are quick. */
const TICK_MS = 100;

/** Small files, and no flushing: a killed server keeps what the system has, and only a power cut would take it. */
const SERVER_FLAGS = ['-Dzookeeper.preAllocSize=1024', '-Dzookeeper.forceSync=no'];

/** Why ZooKeeper cannot be started here, or undefined. */
export function whyNoZooKeeper(): string | undefined {
  if (!existsSync(ZOOKEEPER_JAR)) return `${ZOOKEEPER_JAR} is missing: npm run setup`;
  try {
    execFileSync('java', ['-version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'java is missing: npm run setup';
  }
}

export interface ServerOptions {
  readonly folder: string;
  readonly port: number;
  /** Lines for its configuration, besides the usual ones. */
  readonly config?: readonly string[];
  readonly tls?: ServerTls;
}

/** A second port with TLS, where clients must bring a certificate, too. */
export interface ServerTls {
  readonly port: number;
  /** Files in PEM: the authority, and the server's key and certificate in one. */
  readonly ca: string;
  readonly both: string;
}

/** Gone with the test process, whatever happens to it. */
const running: Set<ChildProcess> = new Set();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export class ZooKeeperServer {
  readonly port: number;
  readonly folder: string;
  readonly #options: ServerOptions;
  #child: ChildProcess | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.port = options.port;
    this.folder = options.folder;
  }

  /** One server, alone, that answers. */
  static async start(options: Partial<ServerOptions> = {}): Promise<ZooKeeperServer> {
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'holdfast-zookeeper-')));
    const server = new ZooKeeperServer({ ...options, folder, port: options.port ?? (await freePort()) });
    await server.spawn();
    await server.untilReady();
    return server;
  }

  get pid(): number {
    return this.#child?.pid as number;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  async spawn(): Promise<void> {
    const { folder, port, config = [], tls } = this.#options;
    const lines = [
      `tickTime=${TICK_MS}`,
      'initLimit=50',
      'syncLimit=50',
      'maxSessionTimeout=60000',
      'maxClientCnxns=0',
      `dataDir=${folder}`,
      `clientPort=${port}`,
      'clientPortAddress=127.0.0.1',
      'admin.enableServer=false',
      '4lw.commands.whitelist=*',
      ...(tls === undefined ? [] : tlsLines(tls)),
      ...config,
    ];
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'zoo.cfg'), `${lines.join('\n')}\n`);
    const log = openSync(join(folder, 'log'), 'a');
    const flags = [...JVM_FLAGS, ...SERVER_FLAGS];
    const classPath = [ZOOKEEPER_JAR, ...(tls === undefined ? [] : TLS_JARS)].join(':');
    const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
    const child = spawn('java', [...flags, '-cp', classPath, main, join(folder, 'zoo.cfg')], {
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#child = child;
    running.add(child);
    child.once('exit', () => running.delete(child));
    await once(child, 'spawn');
  }

  async untilReady(): Promise<void> {
    for (const giveUpAt = Date.now() + 60_000; ; ) {
      if (this.#child === undefined || this.#child.exitCode !== null)
        throw new Error(`ZooKeeper ended:\n${this.log()}`);
      if ((await this.ask('srvr').catch(() => '')).includes('Mode:')) return;
      if (Date.now() > giveUpAt) throw new Error(`ZooKeeper is not ready after 60 s:\n${this.log()}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** The answer to one of the commands of four letters. */
  ask(command: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1');
      let text = '';
      socket.setTimeout(2_000, () => socket.destroy(new Error(`No answer to ${command}.`)));
      socket.on('connect', () => socket.write(command));
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(text));
    });
  }

  log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8').slice(-3_000);
  }

  /** `kill -9`; resolves when it is gone. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  pause(): void {
    stop(this.#child?.pid);
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Kills it and starts it again, with the same data. */
  async restart(): Promise<void> {
    await this.kill();
    await this.spawn();
    await this.untilReady();
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function tlsLines({ port, ca, both }: ServerTls): string[] {
  return [
    `secureClientPort=${port}`,
    'secureClientPortAddress=127.0.0.1',
    'serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory',
    'ssl.keyStore.type=PEM',
    `ssl.keyStore.location=${both}`,
    'ssl.trustStore.type=PEM',
    `ssl.trustStore.location=${ca}`,
  ];
}

/** Ports that nobody uses now, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  for (const server of servers) {
    server.close();
    await once(server, 'close');
  }
  return ports;
}

async function freePort(): Promise<number> {
  return (await freePorts(1))[0] as number;
}
