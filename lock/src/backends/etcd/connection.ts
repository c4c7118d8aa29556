/**
 * One HTTP/2 connection to one member of etcd, with gRPC's framing on it: calls with one answer, each with a deadline,
 * and streams. It finds out when the other side is silent, and is then over: it never reconnects by itself.
 *
 * @module
 */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { callAfterInput } from '../../core/clock.ts';
import { NoAnswerError, NotSentError, RefusedError } from './failures.ts';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** What TLS needs, as `node:tls` takes it. */
export interface TlsOptions {
  /** The certificate of the authority that signed the server's. Default: the authorities that Node knows. */
  readonly ca?: string | Buffer | readonly (string | Buffer)[];
  /** Our own certificate and its key, where the server asks for one. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly passphrase?: string;
  /** The name in the server's certificate, if it is not the one that we connect to. */
  readonly servername?: string;
}

/** etcd takes pings for an attack that come more often than each 5 s. */
const PING_MS = { every: 6_000, answerWithin: 2_500 };

export interface Stream {
  send(message: Buffer): void;
  close(): void;
}

export interface StreamEvents {
  message(message: Buffer): void;
  /** Called once, when the stream is over for whatever reason but `close`. */
  ended(error: Error): void;
}

export class Connection {
  readonly endpoint: Endpoint;
  readonly #session: ClientHttp2Session;
  /** When something came from the other side last, in the time of `performance.now`. */
  #heardAt: number = performance.now();
  #retired = false;
  #calls = 0;
  readonly #streams: Set<ClientHttp2Stream> = new Set();
  #pings: NodeJS.Timeout | undefined;

  private constructor(endpoint: Endpoint, session: ClientHttp2Session) {
    this.endpoint = endpoint;
    this.#session = session;
    session.on('goaway', () => {
      this.#retired = true;
    });
    session.on('close', () => clearInterval(this.#pings));
    session.unref(); // what keeps a process alive is a call or a wait, and each has a timer of its own
  }

  /** Resolves when the member has answered: a socket alone proves nothing, since the system opens it for a process that is stopped. */
  static open(endpoint: Endpoint, tls: TlsOptions | undefined, signal: AbortSignal): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const session = connect(`http://${isIP(endpoint.host) === 6 ? `[${endpoint.host}]` : endpoint.host}`, {
        createConnection: () => openSocket(endpoint, tls),
      });
      const fail = (error: Error): void => {
        signal.removeEventListener('abort', abort);
        session.destroy();
        reject(new NotSentError(`${endpoint.host}:${endpoint.port}: ${error.message}`));
      };
      const abort = (): void => fail(new Error('no answer in time'));
      session.on('error', fail); // stays: a session that fails later has no other listener, and must not throw
      session.once('close', () => fail(new Error('the connection was closed')));
      session.once('remoteSettings', () => {
        signal.removeEventListener('abort', abort);
        resolve(new Connection(endpoint, session));
      });
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
    });
  }

  /** Whether it takes new calls. */
  get isOpen(): boolean {
    return !this.#retired && !this.#session.closed && !this.#session.destroyed;
  }

  /** Whether nothing is under way on it any more, and nothing will be. */
  get isOver(): boolean {
    return this.#session.destroyed;
  }

  /** Takes no new calls, ends its streams, and is over when the calls under way have ended. */
  retire(): void {
    this.#retired = true;
    for (const stream of this.#streams) stream.close(constants.NGHTTP2_CANCEL);
    this.#endIfIdle();
  }

  destroy(): void {
    this.#retired = true;
    this.#session.destroy();
  }

  /** One question, one answer. Rejects with one of the errors in `failures.ts`, at the latest after `withinMs`. */
  call(path: string, message: Buffer, headers: Record<string, string>, withinMs: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const sentAt = performance.now();
      const stream = this.#request(path, { ...headers, 'grpc-timeout': `${Math.ceil(withinMs)}m` });
      if (stream === undefined) {
        reject(new NotSentError('the connection was closed'));
        return;
      }
      this.#calls++;
      const chunks: Buffer[] = [];
      let done = false;
      let status: RefusedError | 'ok' | undefined;
      const late = (): void => {
        // Nothing at all since the request left: the member is silent, and whoever else asked it waits in vain.
        if (this.#heardAt < sentAt) this.destroy();
        else stream.close(constants.NGHTTP2_CANCEL);
        finish(new NoAnswerError(`nothing came within ${Math.round(withinMs)} ms.`));
      };
      const cancel = callAfterInput(late, withinMs, { keepAlive: true });
      const finish = (outcome: Buffer | Error): void => {
        if (done) return;
        done = true;
        cancel();
        this.#calls--;
        this.#endIfIdle();
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      stream.on('response', (answered) => {
        this.#heardAt = performance.now();
        status ??= statusOf(answered);
      });
      stream.on('trailers', (trailers) => {
        status ??= statusOf(trailers);
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', () => undefined); // 'close' follows
      stream.on('close', () => {
        if (status instanceof RefusedError) return finish(status);
        const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
        if (status === 'ok' && body.length >= 5) return finish(body.subarray(5));
        if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM)
          return finish(new NotSentError('the stream was refused'));
        finish(new NoAnswerError('the connection was lost.'));
      });
      stream.end(framed(message));
    });
  }

  /** A stream in both directions. Undefined if the connection is over. */
  stream(path: string, headers: Record<string, string>, events: StreamEvents): Stream | undefined {
    const stream = this.#request(path, headers);
    if (stream === undefined) return undefined;
    this.#streams.add(stream);
    this.#pings ??= setInterval(() => this.#ping(), PING_MS.every).unref();
    let over = false;
    let rest: Buffer = Buffer.alloc(0);
    let status: RefusedError | 'ok' | undefined;
    stream.on('response', (answered) => {
      this.#heardAt = performance.now();
      status ??= statusOf(answered);
    });
    stream.on('trailers', (trailers) => {
      status ??= statusOf(trailers);
    });
    stream.on('data', (chunk: Buffer) => {
      this.#heardAt = performance.now();
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (!over && rest.length >= 5) {
        const end = 5 + rest.readUInt32BE(1);
        if (rest.length < end) return;
        const message = rest.subarray(5, end);
        rest = rest.subarray(end);
        events.message(message);
      }
    });
    stream.on('error', () => undefined); // 'close' follows
    stream.on('close', () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) {
        clearInterval(this.#pings);
        this.#pings = undefined;
      }
      this.#endIfIdle();
      if (over) return;
      over = true;
      events.ended(status instanceof RefusedError ? status : new NoAnswerError('the connection was lost.'));
    });
    return {
      send: (message) => {
        if (!stream.destroyed && !stream.writableEnded) stream.write(framed(message));
      },
      close: () => {
        over = true;
        stream.close(constants.NGHTTP2_CANCEL);
      },
    };
  }

  #request(path: string, headers: Record<string, string>): ClientHttp2Stream | undefined {
    if (this.#session.closed || this.#session.destroyed) return undefined;
    try {
      return this.#session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...headers,
      });
    } catch {
      return undefined; // closed between the look and the request
    }
  }

  #endIfIdle(): void {
    if (this.#retired && this.#calls === 0 && this.#streams.size === 0) this.#session.close();
  }

  /** A stream that only listens would never hear that the other side is gone. */
  #ping(): void {
    if (performance.now() - this.#heardAt < PING_MS.every) return;
    const cancel = callAfterInput(() => this.destroy(), PING_MS.answerWithin, { keepAlive: false });
    const sent = this.#session.ping((error) => {
      cancel();
      if (error === null) this.#heardAt = performance.now();
    });
    if (!sent) cancel();
  }
}

function openSocket({ host, port }: Endpoint, tls: TlsOptions | undefined): Socket {
  if (tls === undefined) return connectTcp({ host, port, noDelay: true });
  const { servername = isIP(host) === 0 ? host : '', ...rest } = tls;
  return connectTls({
    ...(rest as { secureContext?: SecureContext }),
    host,
    port,
    servername,
    ALPNProtocols: ['h2'],
  }).setNoDelay();
}

/** gRPC puts five bytes before each message: not compressed, and its length. */
function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(5 + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

function statusOf(headers: Record<string, unknown>): RefusedError | 'ok' | undefined {
  const status = headers['grpc-status'];
  if (status === undefined) {
    const code = headers[':status'];
    if (code === undefined || code === 200) return undefined;
    return new RefusedError(14, `it answered with the HTTP status ${String(code)}`);
  }
  if (status === '0') return 'ok';
  return new RefusedError(Number(status), decodeMessage(String(headers['grpc-message'] ?? '')));
}

function decodeMessage(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
