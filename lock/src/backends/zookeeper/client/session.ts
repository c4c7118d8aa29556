/**
 * A session, over as many connections as it takes. Each connection names the session and its password, and the server
 * takes it up again; that also closes the door behind the connection before: the same server drops what it has not read
 * of it, and another one makes the leader refuse what comes from there. So after a reconnect everything that may have
 * been done has been done, and can be looked up.
 *
 * @module
 */
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { type Clock, Instant } from '../../../core/clock.ts';
import { Connection, type Request } from './connection.ts';
import { ConnectionLossError, NotConnectedError, SessionOverError } from './errors.ts';
import { type Host, shuffle } from './hosts.ts';
import { NO_SESSION, OpCode, type SessionId, Xid } from './protocol.ts';
import { SessionTime } from './session-time.ts';
import { Watches } from './watches.ts';

/** How long one attempt to connect may take: a share of the session for each server, within these limits. */
const CONNECT_MS = { least: 500, most: 5_000 };

/**
 * Without a connection for so many sessions the session is given up. It may live on at servers that nobody reaches, but
 * an ensemble that has lost its data would refuse us for ever, since we have seen what it does not know.
 */
const GIVE_UP_AFTER = 2;

/** So long before its deadline a wait for a connection ends: who asked has one of the same time, and would not hear why. */
const TELL_MS = 20;

/** Between rounds over all servers: not below, not above, with full jitter between. */
const PAUSE_MS = { least: 20, most: 1_000 };

/**
 * Of a session: it counts from the sending of the handshake, so an answer that took longer leaves too little of it for
 * what is granted next. A second handshake, at a server that is awake again, gives a whole one.
 */
const LATE_HANDSHAKE = 1 / 4;

export interface Digest {
  readonly user: string;
  readonly password: string;
}

export interface SessionOptions {
  readonly hosts: readonly Host[];
  /** What we ask for; the server may grant another time. */
  readonly timeoutMs: number;
  readonly tls: TlsOptions | undefined;
  /** Who we are, for nodes that only their creator may touch. */
  readonly digest: Digest | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** Connected, for the first time or again, or not any more. */
  connection(isConnected: boolean): void;
  /** The session is over: by the word of the server, or since we closed it. Called once. */
  over(error: SessionOverError): void;
}

export class Session {
  readonly watches: Watches = new Watches();
  readonly #options: SessionOptions;
  readonly #hosts: readonly Host[];
  #id: SessionId = NO_SESSION;
  #time: SessionTime | undefined;
  #lastZxid = 0n;
  #connection: Connection | undefined;
  /** The connection that is being made. */
  #opening: Connection | undefined;
  #connectedUntil: Instant | undefined;
  #problem: Error | undefined;
  #over: SessionOverError | undefined;
  #isClosing = false;
  #endPause: () => void = () => undefined;
  readonly #waiting: Set<() => void> = new Set();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#hosts = shuffle(options.hosts, options.random);
    void this.#run();
  }

  /** What the server has granted, and from when the session certainly counts; undefined before the first connection. */
  get time(): SessionTime | undefined {
    return this.#time;
  }

  /** Whether less than half of the session is certain, so that a request to the leader should go along with the next one. */
  get isDoubtful(): boolean {
    const time = this.#time;
    return time !== undefined && this.#options.clock.now() - time.certainFrom > time.timeoutMs / 2;
  }

  /** 0 before the first connection. */
  get id(): bigint {
    return this.#id.id;
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  /** Resolves when there is a connection; rejects just before the deadline with NotConnectedError, or with SessionOverError. */
  connected(deadline: Instant): Promise<void> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    if (this.#connection !== undefined) return Promise.resolve();
    const { clock } = this.#options;
    return new Promise((resolve, reject) => {
      const done = (): void => {
        this.#waiting.delete(done);
        cancel();
        if (this.#over !== undefined) reject(this.#over);
        else if (this.#connection !== undefined) resolve();
        else reject(this.#notConnected());
      };
      const cancel = clock.callAt(Instant.plus(deadline, -TELL_MS), done, {
        keepAlive: true,
        afterInput: true,
      });
      this.#waiting.add(done);
    });
  }

  /**
   * Sends a request. Rejects with NotConnectedError if there is no connection (it was not sent), with
   * ConnectionLossError if the answer did not come (it may have been done), with ZooKeeperError if the server answered no.
   */
  send<Answer>(request: Request<Answer>, deadline?: Instant): Promise<Answer> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    if (this.#connection === undefined) return Promise.reject(this.#notConnected());
    return this.#connection.send(request, deadline);
  }

  /** Ends the session at the server, which removes its nodes at once. Resolves when it has answered, or at the deadline. */
  async close(deadline: Instant): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    if (this.id !== 0n) {
      await this.connected(deadline)
        .then(() => this.send(CLOSE, deadline))
        .catch(() => undefined); // then the server ends it when its time is over
    }
    this.#end(new SessionOverError('The session was closed.'));
  }

  async #run(): Promise<void> {
    let wasLate = false;
    for (let attempt = 0; this.#over === undefined; attempt++) {
      const host = this.#hosts[attempt % this.#hosts.length] as Host;
      const connection = this.#open(host);
      this.#opening = connection;
      try {
        const handshake = await connection.open({
          session: this.#id,
          timeoutMs: this.#time?.timeoutMs ?? this.#options.timeoutMs,
          lastZxid: this.#lastZxid,
        });
        this.#opening = undefined;
        if (handshake === undefined) {
          this.#end(new SessionOverError('The server answered that the session is over.'));
        } else if (this.#over === undefined) {
          this.#id = handshake.session;
          if (!wasLate && this.#options.clock.now() - handshake.sentAt > handshake.timeoutMs * LATE_HANDSHAKE) {
            wasLate = true;
            connection.end(new Error('The server took too long for the handshake.'));
            continue;
          }
          wasLate = false;
          this.#time = new SessionTime(handshake.timeoutMs, handshake.sentAt);
          await this.#use(connection);
          // A server that takes us up and lets us fall at once is no better than one that does not answer.
          if (this.#options.clock.now() - handshake.sentAt > PAUSE_MS.most) attempt = -1;
        }
      } catch (error) {
        this.#problem = new Error(`${host.host}:${host.port}: ${(error as Error).message}`, { cause: error });
      }
      this.#opening = undefined;
      connection.end(new Error('The connection is not needed any more.'));
      this.#giveUpInTime();
      if (attempt >= 0 && (attempt + 1) % this.#hosts.length === 0) await this.#pause(attempt / this.#hosts.length);
    }
  }

  /** From the handshake to the end of a connection. */
  async #use(connection: Connection): Promise<void> {
    this.#introduce(connection);
    this.#connection = connection;
    this.#problem = undefined;
    this.#tellWaiting();
    this.#options.connection(true);
    this.#problem = await connection.ended;
    this.#connection = undefined;
    this.#connectedUntil = this.#options.clock.now();
    if (this.#over === undefined) this.#options.connection(false);
  }

  #giveUpInTime(): void {
    if (this.#connectedUntil === undefined || this.#time === undefined) return;
    const awayMs = this.#options.clock.now() - this.#connectedUntil;
    if (awayMs < this.#time.timeoutMs * GIVE_UP_AFTER) return;
    this.#end(
      new SessionOverError(
        `The session of ${this.#time.timeoutMs} ms was given up after ${Math.round(awayMs)} ms without a connection.`,
      ),
    );
  }

  #open(host: Host): Connection {
    const { clock, tls, timeoutMs } = this.#options;
    const share = (this.#time?.timeoutMs ?? timeoutMs) / this.#hosts.length;
    return new Connection({
      host,
      tls,
      clock,
      connectMs: Math.min(CONNECT_MS.most, Math.max(CONNECT_MS.least, share)),
      event: (event) => this.watches.tell(event),
      answered: (sentAt, byLeader) => this.#time?.take(sentAt, clock.now(), byLeader),
      seen: (zxid) => {
        if (zxid > this.#lastZxid) this.#lastZxid = zxid;
      },
    });
  }

  /** What every connection begins with: who we are, and what we watch. The server works on it before all that follows. */
  #introduce(connection: Connection): void {
    const { digest } = this.#options;
    const ignoreLoss = (error: unknown): void => {
      if (!(error instanceof ConnectionLossError)) connection.end(error as Error);
    };
    if (digest !== undefined) connection.send(authOf(digest)).catch(ignoreLoss);
    for (const part of this.watches.toSetAgain(this.#lastZxid)) {
      const request = {
        ...part,
        what: 'the watches',
        path: '/',
        xid: Xid.setWatches,
        byLeader: false,
        read: () => undefined,
      };
      connection.send(request).catch(ignoreLoss);
    }
  }

  #end(error: SessionOverError): void {
    if (this.#over !== undefined) return;
    this.#over = error;
    this.watches.clear();
    this.#connection?.end(error);
    this.#opening?.end(error);
    this.#endPause();
    this.#tellWaiting();
    this.#options.over(error);
  }

  #tellWaiting(): void {
    for (const each of [...this.#waiting]) each();
  }

  #notConnected(): NotConnectedError {
    const because = this.#problem === undefined ? '' : ` The last attempt: ${this.#problem.message}`;
    return new NotConnectedError(`There is no connection to a ZooKeeper server.${because}`, { cause: this.#problem });
  }

  #pause(rounds: number): Promise<void> {
    if (this.#over !== undefined) return Promise.resolve();
    const { clock, random } = this.#options;
    const limitMs = Math.min(PAUSE_MS.most, PAUSE_MS.least * 2 ** Math.min(rounds, 10));
    return new Promise((resolve) => {
      const at = Instant.plus(clock.now(), limitMs / 4 + (random() * limitMs * 3) / 4);
      const cancel = clock.callAt(at, resolve, { keepAlive: false });
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}

const CLOSE: Request<void> = {
  what: 'the close',
  path: '/',
  opCode: OpCode.closeSession,
  byLeader: true,
  write: () => undefined,
  read: () => undefined,
};

function authOf({ user, password }: Digest): Request<void> {
  return {
    what: 'the credentials',
    path: '/',
    opCode: OpCode.auth,
    xid: Xid.auth,
    byLeader: false,
    write: (writer) =>
      void writer
        .int(0)
        .string('digest')
        .buffer(Buffer.from(`${user}:${password}`)),
    read: () => undefined,
  };
}
