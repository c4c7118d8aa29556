/**
 * One connection to one server: frames, the handshake, requests and their answers in order, pings, and the check that
 * the server is not silent. It ends once, and with it everything that was under way: nothing is sent a second time.
 *
 * @module
 */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions as TlsOptions } from 'node:tls';
import { type CancelTimer, type Clock, Instant } from '../../../core/clock.ts';
import { ConnectionLossError, ZooKeeperError } from './errors.ts';
import type { Host } from './hosts.ts';
import { JuteReader, JuteWriter } from './jute.ts';
import {
  type ConnectRequest,
  connectFrame,
  OpCode,
  readConnectResponse,
  readReplyHeader,
  readWatchEvent,
  type SessionId,
  type WatchEvent,
  Xid,
} from './protocol.ts';

/** The largest answer that we take; a server sends one of at most 1 MiB unless it is told otherwise. */
const LARGEST_FRAME = 64 * 2 ** 20;

/** Of a session: how often something is sent, and after how long without a word the server counts as dead. */
const PING_EVERY = 1 / 12;
const SILENT_AFTER = 2 / 3;

/** For requests without a deadline: they end with the connection. */
const NEVER = Number.POSITIVE_INFINITY as Instant;

export interface ConnectionOptions {
  readonly host: Host;
  readonly tls: TlsOptions | undefined;
  readonly clock: Clock;
  /** How long the handshake may take. */
  readonly connectMs: number;
  /** Something happened to a watched node. Called before any answer that the server sent later. */
  event(event: WatchEvent): void;
  /** A request was answered; `byLeader`: the leader of the ensemble took part. */
  answered(sentAt: Instant, byLeader: boolean): void;
  /** The server has seen this transaction. */
  seen(zxid: bigint): void;
}

/** A request as the operations make it. */
export interface Request<Answer> {
  readonly what: string;
  readonly path: string;
  readonly opCode: number;
  readonly xid?: number;
  /** The leader takes part in the answer: a write, or `sync`. */
  readonly byLeader: boolean;
  write(writer: JuteWriter): void;
  read(reader: JuteReader, zxid: bigint): Answer;
  /** The server answered no; for what has to be done in the turn of the answer. */
  refused?(code: string): void;
}

interface Pending {
  readonly xid: number;
  readonly sentAt: Instant;
  readonly deadline: Instant;
  readonly request: Request<unknown>;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** What the server has granted in the handshake; undefined if the session is over. */
export interface Handshake {
  readonly sentAt: Instant;
  readonly timeoutMs: number;
  readonly session: SessionId;
}

export class Connection {
  /** Resolves when the connection has ended, with the reason; never rejects. */
  readonly ended: Promise<Error>;
  readonly #options: ConnectionOptions;
  readonly #socket: Socket;
  readonly #pending: Map<number, Pending> = new Map();
  #resolveEnded: (error: Error) => void = () => undefined;
  #isOver = false;
  #xid = 0;
  /** What has arrived and makes no whole frame yet. */
  #received: Buffer = Buffer.alloc(0);
  #toSend: Buffer[] = [];
  #takeHandshake: ((reader: JuteReader) => void) | undefined;
  #sentAt: Instant;
  #heardAt: Instant;
  #cancelTimer: CancelTimer = () => undefined;
  /** One timer for the deadlines of all requests: set for the earliest, and gone when nothing is under way. */
  #expiryAt: Instant = NEVER;
  #cancelExpiry: CancelTimer = () => undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#sentAt = this.#heardAt = options.clock.now();
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    const { host, tls } = options;
    this.#socket =
      tls === undefined
        ? connectTcp(host.port, host.host)
        : connectTls({ servername: serverName(host), ...tls, ...host });
    this.#socket.setNoDelay();
    this.#socket.unref(); // whoever waits for an answer has a timer of his own
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#socket.on('error', (error) => this.end(error));
    this.#socket.on('close', () => this.end(new Error('The server closed the connection.')));
  }

  /** Makes a session or takes one up again. Gives undefined if the server says that it is over. */
  async open(request: ConnectRequest): Promise<Handshake | undefined> {
    const { clock, connectMs, tls } = this.#options;
    const cancel = clock.callAt(
      Instant.plus(clock.now(), connectMs),
      () => this.end(new Error(`The server did not answer within ${connectMs} ms.`)),
      { keepAlive: false, afterInput: true },
    );
    try {
      return await new Promise<Handshake | undefined>((resolve, reject) => {
        void this.ended.then(reject);
        this.#socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
          const sentAt = clock.now();
          this.#takeHandshake = (reader) => {
            const { timeoutMs, session } = readConnectResponse(reader);
            this.#takeHandshake = undefined;
            if (timeoutMs > 0) this.#keepAlive(timeoutMs);
            resolve(timeoutMs > 0 ? { sentAt, timeoutMs, session } : undefined);
          };
          this.#socket.write(connectFrame(request));
        });
      });
    } finally {
      cancel();
    }
  }

  /** Sends a request. Rejects with ConnectionLossError if the connection ends, or the deadline comes, before the answer. */
  send<Answer>(request: Request<Answer>, deadline: Instant = NEVER): Promise<Answer> {
    if (this.#isOver) return Promise.reject(lossOf(request));
    const xid = request.xid ?? this.#nextXid();
    const writer = new JuteWriter().int(xid).int(request.opCode);
    request.write(writer);
    return new Promise((resolve, reject) => {
      const sentAt = this.#options.clock.now();
      this.#pending.set(xid, { xid, sentAt, deadline, request, resolve: resolve as (answer: unknown) => void, reject });
      this.#watchDeadline(deadline);
      this.#write(writer.frame());
    });
  }

  end(reason: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer();
    this.#forgetDeadlines();
    this.#socket.destroy();
    for (const { request, reject } of this.#pending.values()) reject(lossOf(request, reason));
    this.#pending.clear();
    this.#resolveEnded(reason);
  }

  #nextXid(): number {
    this.#xid = this.#xid >= 2 ** 31 - 1 ? 1 : this.#xid + 1;
    return this.#xid;
  }

  /** What one turn of the event loop sends goes out in one piece. */
  #write(frame: Buffer): void {
    this.#toSend.push(frame);
    if (this.#toSend.length > 1) return;
    process.nextTick(() => {
      const frames = this.#toSend;
      this.#toSend = [];
      this.#sentAt = this.#options.clock.now();
      if (!this.#isOver) this.#socket.write(frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames));
    });
  }

  #keepAlive(timeoutMs: number): void {
    const { clock } = this.#options;
    const lookEveryMs = Math.max(1, timeoutMs * PING_EVERY);
    const look = (): void => {
      const now = clock.now();
      const silentMs = now - this.#heardAt;
      if (silentMs > timeoutMs * SILENT_AFTER) {
        this.end(new Error(`The server was silent for ${Math.round(silentMs)} ms, in a session of ${timeoutMs} ms.`));
        return;
      }
      if (now - this.#sentAt >= lookEveryMs / 2) this.#ping();
      this.#cancelTimer = clock.callAt(Instant.plus(now, lookEveryMs), look, {
        keepAlive: false,
        afterInput: true,
      });
    };
    this.#heardAt = clock.now();
    look();
  }

  #watchDeadline(deadline: Instant): void {
    if (deadline >= this.#expiryAt) return;
    this.#cancelExpiry();
    this.#expiryAt = deadline;
    // A process that waits for an answer lives until then; one that waits for nothing may end.
    this.#cancelExpiry = this.#options.clock.callAt(deadline, () => this.#expire(), {
      keepAlive: true,
      afterInput: true,
    });
  }

  #forgetDeadlines(): void {
    this.#cancelExpiry();
    this.#expiryAt = NEVER;
  }

  /** Gives up what is late. An answer that comes all the same finds nobody. */
  #expire(): void {
    this.#expiryAt = NEVER;
    const now = this.#options.clock.now();
    let next = NEVER;
    for (const { xid, deadline, request, reject } of this.#pending.values()) {
      if (deadline > now) {
        next = Instant.earliest(next, deadline);
        continue;
      }
      this.#pending.delete(xid);
      reject(lossOf(request, new Error('Its deadline has come.')));
    }
    this.#watchDeadline(next);
  }

  #ping(): void {
    if (this.#pending.has(Xid.ping)) return;
    void this.send({
      what: 'ping',
      path: '/',
      opCode: OpCode.ping,
      xid: Xid.ping,
      byLeader: false,
      write: () => undefined,
      read: () => undefined,
    }).catch(() => undefined); // the end of the connection, which has been told
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#heardAt = this.#options.clock.now();
    const received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    let offset = 0;
    try {
      while (received.length - offset >= 4) {
        const length = received.readInt32BE(offset);
        if (length < 0 || length > LARGEST_FRAME) throw new RangeError(`A frame of ${length} bytes is none.`);
        if (received.length - offset - 4 < length) break;
        this.#takeFrame(new JuteReader(received.subarray(offset + 4, offset + 4 + length)));
        offset += 4 + length;
      }
    } catch (error) {
      this.end(new Error(`Not understood, what the server sent: ${(error as Error).message}`, { cause: error }));
    }
    this.#received = offset === received.length ? Buffer.alloc(0) : received.subarray(offset);
  }

  #takeFrame(reader: JuteReader): void {
    if (this.#takeHandshake !== undefined) {
      this.#takeHandshake(reader);
      return;
    }
    const { xid, zxid, error } = readReplyHeader(reader);
    if (zxid > 0n) this.#options.seen(zxid);
    if (xid === Xid.event) {
      this.#options.event(readWatchEvent(reader));
      return;
    }
    const pending = this.#pending.get(xid);
    if (pending === undefined) return;
    this.#pending.delete(xid);
    if (this.#pending.size === 0) this.#forgetDeadlines();
    const { request, sentAt } = pending;
    this.#options.answered(sentAt, request.byLeader);
    if (error === 0) {
      try {
        pending.resolve(request.read(reader, zxid));
      } catch (problem) {
        pending.reject(problem as Error);
        if (!(problem instanceof ZooKeeperError)) throw problem; // not understood: the connection is of no use
      }
      return;
    }
    const refusal = ZooKeeperError.of(error, request.what, request.path);
    request.refused?.(refusal.code);
    pending.reject(refusal);
    // This connection is of no use any more; the next one hears whether the session is over.
    if (refusal.code === 'SESSION_MOVED' || refusal.code === 'SESSION_EXPIRED') this.end(refusal);
  }
}

function lossOf({ what, path }: Request<unknown>, cause?: Error): ConnectionLossError {
  const because = cause === undefined ? '' : ` ${cause.message}`;
  return new ConnectionLossError(`No answer came to ${what} of ${path}.${because}`, { cause });
}

/** The name that the certificate must have; addresses are not sent as one. */
function serverName({ host }: Host): string {
  return /^[0-9.]+$|:/.test(host) ? '' : host;
}
