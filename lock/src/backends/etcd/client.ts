/**
 * The few calls of etcd's v3 API that a lock needs, over as many members as there are: one connection at a time, and
 * the next member where one is silent, refuses, or has no leader.
 *
 * Each call has a deadline, and is sent once: sent again only if it certainly did not arrive, or if the server answered
 * that our login is over.
 *
 * @module
 */
import { type Clock, callAfterInput, Instant } from '../../core/clock.ts';
import { LockError } from '../../core/errors.ts';
import { Connection, type Endpoint, type Stream, type StreamEvents, type TlsOptions } from './connection.ts';
import {
  isFaultOfMember,
  isLeaseGone,
  isLoginOver,
  isLoginUnknown,
  NotSentError,
  RefusedError,
  toLockError,
} from './failures.ts';
import {
  decode,
  encode,
  type RangeRequest,
  type RangeResponse,
  type Transaction,
  type TransactionResponse,
} from './messages.ts';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

export interface ClientOptions {
  readonly endpoints: readonly Endpoint[];
  readonly tls: TlsOptions | undefined;
  readonly credentials: Credentials | undefined;
  readonly clock: Clock;
}

/** A member that does not answer within this time gets company: the next one is tried beside it. */
const NEXT_MEMBER_AFTER_MS = 150;

/** How long all members together may take to answer. */
const CONNECT_MS = 5_000;

/** How long a login may take: etcd makes the check of a password slow on purpose. */
const LOGIN_MS = 10_000;

/** A member that is cut off from the others goes on serving watches, on which nothing happens. With this it ends them. */
const REQUIRE_LEADER = { hasleader: 'true' };

const PATH = {
  range: '/etcdserverpb.KV/Range',
  transaction: '/etcdserverpb.KV/Txn',
  grant: '/etcdserverpb.Lease/LeaseGrant',
  keepAlive: '/etcdserverpb.Lease/LeaseKeepAlive',
  timeToLive: '/etcdserverpb.Lease/LeaseTimeToLive',
  revoke: '/etcdserverpb.Lease/LeaseRevoke',
  authenticate: '/etcdserverpb.Auth/Authenticate',
  watch: '/etcdserverpb.Watch/Watch',
};

export class EtcdClient {
  readonly #options: ClientOptions;
  /** The member to begin with. */
  #first = 0;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  readonly #retired: Set<Connection> = new Set();
  readonly #abort: AbortController = new AbortController();
  /** Proof of our login, and the empty one where the server has no logins. */
  #login: string | undefined;
  #loggingIn: Promise<string> | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  range(request: RangeRequest, deadline: Instant): Promise<RangeResponse> {
    return this.#ask('a read', PATH.range, encode.range(request), deadline, decode.range);
  }

  transaction(what: string, transaction: Transaction, deadline: Instant): Promise<TransactionResponse> {
    return this.#ask(what, PATH.transaction, encode.transaction(transaction), deadline, decode.transaction);
  }

  grant(ttlS: number, deadline: Instant): Promise<{ readonly id: bigint; readonly ttlS: number }> {
    return this.#ask('a new lease', PATH.grant, encode.leaseGrant(ttlS), deadline, decode.lease);
  }

  /** A stream in etcd's API. With one message in it, it is a call. A TTL of 0 says that the lease is gone. */
  keepAlive(id: bigint, deadline: Instant): Promise<{ readonly ttlS: number }> {
    return this.#ask('the renewal of a lease', PATH.keepAlive, encode.lease(id), deadline, decode.lease);
  }

  timeToLive(id: bigint, deadline: Instant): Promise<{ readonly ttlS: number }> {
    return this.#ask('the rest of a lease', PATH.timeToLive, encode.lease(id), deadline, decode.timeToLive);
  }

  async revoke(id: bigint, deadline: Instant): Promise<void> {
    await this.#ask('the end of a lease', PATH.revoke, encode.lease(id), deadline, () => undefined);
  }

  /** A stream of watches. Rejects if no member can be reached. */
  async watchStream(events: StreamEvents): Promise<Stream> {
    const deadline = Instant.plus(this.#options.clock.now(), CONNECT_MS);
    const login = await this.#loggedIn(deadline);
    const headers = { ...headersOf(login), ...REQUIRE_LEADER };
    const connection = await this.#connected();
    const stream = connection.stream(PATH.watch, headers, {
      message: events.message,
      ended: (error) => {
        if (isFaultOfMember(error)) this.#leave(connection, error); // who then looks again asks another one
        events.ended(error);
      },
    });
    if (stream === undefined) throw new NotSentError('the connection was closed');
    return stream;
  }

  /** Ends the connections. Calls that are under way end without an answer. */
  close(): void {
    this.#abort.abort();
    this.#connection?.destroy();
    for (const connection of this.#retired) connection.destroy();
    this.#retired.clear();
  }

  async #ask<Answer>(
    what: string,
    path: string,
    message: Buffer,
    deadline: Instant,
    read: (answer: Buffer) => Answer,
  ): Promise<Answer> {
    try {
      return read(await this.#loggedInCall(path, message, deadline));
    } catch (error) {
      throw isLeaseGone(error) ? error : toLockError(what, error);
    }
  }

  async #loggedInCall(path: string, message: Buffer, deadline: Instant): Promise<Buffer> {
    for (let logins = 0; ; logins++) {
      const login = await this.#loggedIn(deadline);
      try {
        return await this.#call(path, message, headersOf(login), deadline);
      } catch (error) {
        if (!isLoginOver(error) || this.#options.credentials === undefined || logins === 2) throw error;
        if (this.#login === login) this.#login = undefined;
      }
    }
  }

  /** One call on whatever member answers; again only where it certainly did not arrive. */
  async #call(path: string, message: Buffer, headers: Record<string, string>, deadline: Instant): Promise<Buffer> {
    for (let attempt = 0; ; attempt++) {
      const connection = await this.#connectedBy(deadline);
      try {
        return await connection.call(path, message, headers, Math.max(1, this.#leftMs(deadline)));
      } catch (error) {
        if (isFaultOfMember(error)) this.#leave(connection, error);
        if (!(error instanceof NotSentError) || attempt === 2 || this.#leftMs(deadline) <= 0) throw error;
      }
    }
  }

  #leftMs(deadline: Instant): number {
    return deadline - this.#options.clock.now();
  }

  /**
   * The next calls go to the next member, if there is one. Behind a single address there may be several, and one that
   * answers that it has no leader is left by connecting anew.
   */
  #leave(connection: Connection, error: unknown): void {
    const { endpoints } = this.#options;
    if (this.#connection !== connection) return;
    if (endpoints.length === 1 && connection.isOpen && !(error instanceof RefusedError)) return;
    this.#first = (endpoints.indexOf(connection.endpoint) + 1) % endpoints.length;
    this.#connection = undefined;
    for (const each of this.#retired) if (each.isOver) this.#retired.delete(each);
    this.#retired.add(connection);
    connection.retire();
  }

  #connectedBy(deadline: Instant): Promise<Connection> | Connection {
    if (this.#connection?.isOpen) return this.#connection;
    return this.#inTime(this.#connected(), 'no member answered', deadline);
  }

  #connected(): Promise<Connection> {
    if (this.#connection?.isOpen) return Promise.resolve(this.#connection);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Tries the members one after the other, a slow one beside the next; the first that answers is taken. */
  async #connect(): Promise<Connection> {
    if (this.#abort.signal.aborted) throw new LockError('CLOSED', 'This etcd backend was closed.');
    const { endpoints, tls } = this.#options;
    const over = new AbortController();
    const end = (): void => over.abort();
    const timer = setTimeout(end, CONNECT_MS);
    this.#abort.signal.addEventListener('abort', end);
    try {
      const attempts: Promise<Connection>[] = [];
      for (let turn = 0; turn < endpoints.length; turn++) {
        const endpoint = endpoints[(this.#first + turn) % endpoints.length] as Endpoint;
        const turnCame = attempts.slice(-1).map((before) => failedOrSlow(before, over.signal));
        attempts.push(Promise.all(turnCame).then(() => Connection.open(endpoint, tls, over.signal)));
      }
      const connection = await Promise.any(attempts);
      for (const attempt of attempts)
        void attempt.then(
          (each) => each !== connection && each.destroy(),
          () => undefined,
        );
      if (this.#abort.signal.aborted) connection.destroy();
      this.#first = endpoints.indexOf(connection.endpoint);
      this.#connection = connection;
      return connection;
    } catch (error) {
      const reasons =
        error instanceof AggregateError ? error.errors.map((each: Error) => each.message) : [String(error)];
      throw new NotSentError(reasons.join('; '));
    } finally {
      clearTimeout(timer);
      this.#abort.signal.removeEventListener('abort', end);
      over.abort();
    }
  }

  /** Calls wait for a login for as long as each can; the login itself goes on, since checking a password takes etcd long. */
  #loggedIn(deadline: Instant): Promise<string> | string {
    const { credentials } = this.#options;
    if (credentials === undefined) return '';
    if (this.#login !== undefined) return this.#login;
    this.#loggingIn ??= this.#authenticate(credentials).finally(() => {
      this.#loggingIn = undefined;
    });
    return this.#inTime(this.#loggingIn, 'the login is not answered', deadline);
  }

  async #authenticate({ user, password }: Credentials): Promise<string> {
    const deadline = Instant.plus(this.#options.clock.now(), LOGIN_MS);
    try {
      const answer = await this.#call(PATH.authenticate, encode.authenticate(user, password), {}, deadline);
      this.#login = decode.authenticate(answer);
    } catch (error) {
      if (isLoginUnknown(error)) this.#login = '';
      // A login that got no answer has taken nothing: the call that needed it was not sent.
      else if (isFaultOfMember(error)) throw new NotSentError(`the login got no answer: ${(error as Error).message}`);
      else throw error;
    }
    return this.#login;
  }

  /** What others wait for as well, for as long as this call can wait. It certainly was not sent if that is too short. */
  #inTime<Thing>(shared: Promise<Thing>, problem: string, deadline: Instant): Promise<Thing> {
    return new Promise((resolve, reject) => {
      const leftMs = Math.max(0, this.#leftMs(deadline));
      const late = (): void => reject(new NotSentError(`${problem} within ${Math.round(leftMs)} ms`));
      const cancel = callAfterInput(late, leftMs, { keepAlive: true });
      shared.then(resolve, reject).finally(cancel);
    });
  }
}

function headersOf(login: string): Record<string, string> {
  return login === '' ? {} : { token: login };
}

/** Resolves when an attempt has failed or takes long, or when it makes no sense any more. */
function failedOrSlow(attempt: Promise<unknown>, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      over.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, NEXT_MEMBER_AFTER_MS);
    over.addEventListener('abort', done);
    attempt.catch(done);
  });
}
