/**
 * Locks that hang on one connection of their own: the database has named locks that end with a session. A killed holder
 * frees its locks at once, since its connection ends; there is no order among those who wait, and no token.
 *
 * One connection carries all locks of a backend object, and each lease on it is for `SILENT_MS`: the server ends a
 * session that has been silent for longer, so that a holder which is stopped or cut off does not keep its locks for
 * ever, and the holder's own clock has said so before. Renewals and probes keep the session from being silent. When
 * the connection ends, everything on it is lost at once. Nobody waits in the server: who finds a lock taken asks again,
 * with back-off and jitter.
 *
 * @module
 */
import type {
  AcquireRequest,
  Backend,
  Busy,
  Granted,
  Guarantee,
  Hold,
  OwnerId,
  ReleaseAnswer,
  RenewAnswer,
  Renews,
  ReportsLoss,
} from '../core/backend.ts';
import { type CancelTimer, type Clock, Instant } from '../core/clock.ts';
import { BackendUnavailableError, LockError, type LossReason } from '../core/errors.ts';
import { type ConnectionSource, TELL_MS, takeConnection } from './connections.ts';
import type { SqlFailure } from './database.ts';
import { toLockError } from './failures.ts';

/** How often the connection is asked whether it still works, while something is held on it. */
const PROBE_MS = 2_000;

/** After such a silence all is lost, counted from the sending of what was answered last. */
const SILENT_MS = 10_000;

/** After such a silence, counted from its last answer, the server ends the session: always later than we give it up. */
export const SERVER_SILENT_MS: number = SILENT_MS + 5_000;

/** How often an unlocking that is interrupted is asked for before the session is given up, with all that it holds. */
const UNLOCK_ATTEMPTS = 5;

/** A connection with the events of its end. */
export interface SessionConnection {
  on(event: 'error' | 'end', listener: () => void): unknown;
  /** Whether it keeps the process alive from now on. */
  ref?(): void;
  unref?(): void;
}

/** What a database gives so that it can hold locks on a session. */
export interface SessionDatabase<Connection extends SessionConnection> {
  readonly id: string;
  readonly connections: ConnectionSource<Connection>;
  /** Refuses, with a `LockError`, what cannot hold a lock: a pooler, a cluster. Sets the session's own timeouts. */
  prepare(connection: Connection): Promise<void>;
  /** What the name is for the server. Two names may have one key, if seldom: then they exclude each other. */
  keyOf(name: string): string;
  /** Asks once, without waiting. */
  lock(connection: Connection, key: string): Promise<boolean>;
  /** False: the session did not have it. */
  unlock(connection: Connection, key: string): Promise<boolean>;
  /** Rejects if the connection is not the same session any more. */
  probe(connection: Connection): Promise<void>;
  understand(error: unknown): SqlFailure;
}

interface Held {
  readonly owner: OwnerId;
  /** Whether the server has said yes. */
  state: 'asked' | 'held';
  /** Whether its owner has gone away before the answer. */
  unwanted: boolean;
  /** From when on its lease counts. */
  renewedAt: Instant;
}

interface Session<Connection> {
  readonly connection: Connection;
  answeredAt: Instant;
  /** The question that is out: the next one waits for its answer, since not every driver keeps a line of them. */
  turn: Promise<unknown>;
  /** How many questions are out or in line. They keep the process alive, and the connection by itself does not. */
  questions: number;
  /** Tells those who wait for an answer that the connection has ended: a driver that has closed it may not do so. */
  readonly unanswered: Set<(error: Error) => void>;
  /** By key. */
  readonly held: Map<string, Held>;
}

type LossCallback = (owner: OwnerId, reason: LossReason | 'at-risk') => void;

export class SqlSessionBackend<Connection extends SessionConnection> implements Backend, Renews, ReportsLoss {
  readonly id: string;
  readonly guarantee: Guarantee = {
    liveness: 'at-once',
    survivesFailover: 'no',
    clockAssumption: 'the clocks of client and server run at rates that differ by less than a third',
    fencing: 'none',
    fairness: 'none',
  };
  readonly #database: SessionDatabase<Connection>;
  readonly #clock: Clock;
  readonly #lossCallbacks: Set<LossCallback> = new Set();
  #session: Session<Connection> | undefined;
  #opening: Promise<Session<Connection>> | undefined;
  #cancelProbe: CancelTimer | undefined;
  #closed = false;

  constructor(database: SessionDatabase<Connection>, clock: Clock) {
    this.id = database.id;
    this.#database = database;
    this.#clock = clock;
  }

  async tryAcquire({ name, owner }: AcquireRequest, deadline: Instant): Promise<Granted | Busy> {
    const session = await this.#open(name, deadline);
    const key = this.#database.keyOf(name);
    const known = session.held.get(key);
    // The server would give its own session a lock twice, so others of this process are refused here.
    if (known !== undefined) {
      return known.owner === owner && known.state === 'held' ? grantedFrom(known.renewedAt) : BUSY;
    }
    const held: Held = { owner, state: 'asked', unwanted: false, renewedAt: this.#clock.now() };
    session.held.set(key, held);
    const answer = this.#ask(session, name, (connection) => this.#database.lock(connection, key)).then(
      (isOurs) => {
        if (!isOurs) session.held.delete(key);
        else held.state = 'held';
        // Answers come in the order of questions, so a late yes is found here, and given back.
        if (isOurs && held.unwanted) void this.#unlockSurely(session, name, key);
        return isOurs;
      },
      (error: unknown) => {
        // The connection lives and the question was interrupted, perhaps after it had got the lock: nobody shall have it.
        void this.#unlockSurely(session, name, key);
        throw error;
      },
    );
    const isOurs = await answer;
    if (!isOurs) return BUSY;
    if (this.#session !== session || held.unwanted) return BUSY; // the connection ended, or the caller left, meanwhile
    return grantedFrom(held.renewedAt);
  }

  async release({ name, owner }: Hold): Promise<ReleaseAnswer> {
    const session = this.#session;
    const key = this.#database.keyOf(name);
    const held = session?.held.get(key);
    if (session === undefined || held?.owner !== owner) return 'not-held';
    if (held.state === 'asked') {
      held.unwanted = true;
      return 'not-held';
    }
    return (await this.#unlock(session, name, key)) ? 'released' : 'not-held';
  }

  async renew(holds: readonly Hold[]): Promise<readonly RenewAnswer[]> {
    const session = this.#session;
    if (session === undefined) return holds.map(() => 'lost');
    const names = holds[0]?.name ?? '';
    const sentAt = this.#clock.now();
    await this.#ask(session, names, (connection) => this.#database.probe(connection));
    return holds.map(({ name, owner }) => {
      const held = this.#session === session ? session.held.get(this.#database.keyOf(name)) : undefined;
      if (held?.owner !== owner || held.state !== 'held') return 'lost';
      held.renewedAt = sentAt;
      return { outcome: 'renewed', ttlMs: SILENT_MS, countedFrom: sentAt };
    });
  }

  onLoss(callback: LossCallback): () => void {
    this.#lossCallbacks.add(callback);
    return () => this.#lossCallbacks.delete(callback);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => undefined);
    if (this.#session !== undefined) this.#end(this.#session);
    this.#lossCallbacks.clear();
  }

  async #unlock(session: Session<Connection>, name: string, key: string): Promise<boolean> {
    const held = session.held.get(key);
    const isDone = await this.#ask(session, name, (connection) => this.#database.unlock(connection, key));
    // A release that got no answer in time is asked for again, and meanwhile the lock may have its next owner.
    if (session.held.get(key) === held) session.held.delete(key);
    return isDone;
  }

  /**
   * Gives back what nobody is to have. The answer may be interrupted as well, so it asks again; in the end the session
   * goes, since a lock must not stay behind in it.
   */
  async #unlockSurely(session: Session<Connection>, name: string, key: string): Promise<void> {
    for (let attempt = 0; attempt < UNLOCK_ATTEMPTS && this.#session === session; attempt++) {
      const isDone = await this.#unlock(session, name, key).then(
        () => true,
        () => false,
      );
      if (isDone) return;
    }
    this.#end(session);
  }

  /** One question on the connection. An error after which nobody knows what is held there ends it. */
  async #ask<Answer>(
    session: Session<Connection>,
    name: string,
    question: (connection: Connection) => Promise<Answer>,
  ): Promise<Answer> {
    let sentAt = this.#clock.now();
    if (session.questions++ === 0) session.connection.ref?.();
    const turn = session.turn.then(() => {
      sentAt = this.#clock.now();
      return question(session.connection);
    });
    session.turn = turn.catch(() => undefined);
    try {
      const answer = await answerOf(session, turn);
      session.answeredAt = Instant.latest(session.answeredAt, sentAt);
      return answer;
    } catch (error) {
      const failure = this.#database.understand(error);
      if (error instanceof LockError || (failure.kind === 'unknown' && failure.interrupted !== true))
        this.#end(session);
      throw toLockError(error, failure, this.id, name);
    } finally {
      if (--session.questions === 0) session.connection.unref?.();
    }
  }

  async #open(name: string, deadline: Instant): Promise<Session<Connection>> {
    if (this.#closed) throw new LockError('CLOSED', `This ${this.id} backend was closed.`, { lockName: name });
    if (this.#session !== undefined) return this.#session;
    this.#opening ??= this.#connect(deadline).finally(() => {
      this.#opening = undefined;
    });
    try {
      return await this.#opening;
    } catch (error) {
      throw toLockError(error, this.#database.understand(error), this.id, name);
    }
  }

  async #connect(deadline: Instant): Promise<Session<Connection>> {
    const { connections } = this.#database;
    const connection = await takeConnection(connections, this.#clock, deadline);
    const session: Session<Connection> = {
      connection,
      answeredAt: this.#clock.now(),
      turn: Promise.resolve(),
      questions: 0,
      unanswered: new Set(),
      held: new Map(),
    };
    let isOver = false;
    const over = (): void => {
      isOver = true;
      this.#end(session);
      leaveUnanswered(session);
    };
    connection.on('error', over);
    connection.on('end', over);
    try {
      await answerOf(session, this.#prepare(connection, deadline));
      if (isOver || this.#closed) throw new Error('the connection ended while it was being prepared');
    } catch (error) {
      connections.discard(connection);
      throw error;
    }
    this.#session = session;
    connection.unref?.();
    this.#probeLater();
    return session;
  }

  /** A connection that looked whole in the pool may have been cut off; others of it may be asked then. */
  #prepare(connection: Connection, deadline: Instant): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.callAt(
        Instant.plus(deadline, -TELL_MS),
        () => {
          const text = 'gave no answer in time on a connection that was to become a session. Nothing was done.';
          reject(new BackendUnavailableError(`${this.#database.connections.what} ${text}`));
        },
        { keepAlive: true, afterInput: true },
      );
      this.#database.prepare(connection).then(resolve, reject).finally(cancel);
    });
  }

  /** All that hangs on this connection is over. Closing it frees at the server what we did not know of. */
  #end(session: Session<Connection>): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#stopProbing();
    this.#database.connections.discard(session.connection);
    leaveUnanswered(session);
    for (const { owner, state } of session.held.values()) if (state === 'held') this.#report(owner, 'disconnected');
  }

  #probeLater(): void {
    if (this.#cancelProbe !== undefined || this.#session === undefined) return;
    const session = this.#session;
    const silentAt = Instant.plus(session.answeredAt, SILENT_MS);
    const at = Instant.earliest(Instant.plus(this.#clock.now(), PROBE_MS), silentAt);
    this.#cancelProbe = this.#clock.callAt(at, () => this.#probe(session), { keepAlive: false });
  }

  #probe(session: Session<Connection>): void {
    this.#cancelProbe = undefined;
    if (this.#session !== session) return;
    const silentMs = this.#clock.now() - session.answeredAt;
    // Also after this process was stopped for so long, and where nothing is held: the server does not wait for ever.
    if (silentMs >= SILENT_MS) {
      this.#end(session);
      return;
    }
    this.#probeLater();
    if (session.held.size === 0) return;
    if (silentMs >= 2 * PROBE_MS) for (const { owner } of session.held.values()) this.#report(owner, 'at-risk');
    this.#ask(session, '', (connection) => this.#database.probe(connection)).catch(() => undefined); // #ask has ended it
    this.#dropExpired(session);
  }

  /** Gives back what nobody has renewed in time. Its lease is over, and the session may live on for the sake of others. */
  #dropExpired(session: Session<Connection>): void {
    for (const [key, { state, renewedAt }] of session.held) {
      const isOver = state === 'held' && this.#clock.now() - renewedAt >= SILENT_MS;
      if (isOver) void this.#unlock(session, '', key).catch(() => undefined);
    }
  }

  #stopProbing(): void {
    this.#cancelProbe?.();
    this.#cancelProbe = undefined;
  }

  #report(owner: OwnerId, reason: LossReason | 'at-risk'): void {
    for (const callback of [...this.#lossCallbacks]) callback(owner, reason);
  }
}

/** Rejects when the connection ends before the answer has come. */
function answerOf<Answer>(session: Session<unknown>, answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    session.unanswered.add(reject);
    answer.then(resolve, reject).finally(() => session.unanswered.delete(reject));
  });
}

function leaveUnanswered(session: Session<unknown>): void {
  for (const reject of session.unanswered) reject(new Error('the connection was closed'));
  session.unanswered.clear();
}

function grantedFrom(countedFrom: Instant): Granted {
  return { outcome: 'granted', ttlMs: SILENT_MS, countedFrom };
}

const BUSY: Busy = { outcome: 'busy' };
