/**
 * One connection that listens, for the whole backend object: the releaser of a lock notifies the next waiter's process.
 *
 * It is taken out of the pool at the first wait and kept; a program that is done otherwise ends all the same. Behind a
 * pooler LISTEN is heard by nobody, so it is used only on a connection that goes straight to its server; and a pool of
 * one connection is left to the statements.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { type CancelTimer, type Clock, Instant } from '../../core/clock.ts';
import { listenTogether } from '../../core/listeners.ts';
import { type ConnectionSource, takeConnection } from '../../sql/connections.ts';
import type { SqlInbox, SqlNews } from '../../sql/database.ts';
import type { PostgresConnection, PostgresPool } from './client.ts';
import { connectionsOf, type OwnConnection } from './database.ts';
import { isDirect } from './pooler.ts';

/** Between attempts to open the line: full jitter under a limit that doubles. */
const REOPEN_MS = { first: 100, most: 5_000 };

/** How long opening may take. */
const OPEN_MS = 5_000;

/** How often a silent line is asked whether it still works; a line without an answer for as long is closed. */
const PROBE_MS = 5_000;

export class PostgresInbox implements SqlInbox, OwnConnection {
  readonly what = 'PostgreSQL';
  channel: string | undefined = `holdfast_${randomBytes(9).toString('hex')}`;
  readonly #pool: PostgresPool;
  readonly #connections: ConnectionSource<PostgresConnection>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #news: SqlNews;
  #connection: PostgresConnection | undefined;
  #opening: Promise<void> | undefined;
  #cancelTimer: CancelTimer | undefined;
  #stopListening: (() => void) | undefined;
  #failures = 0;
  #isAsked = false;
  #closed = false;

  constructor(pool: PostgresPool, clock: Clock, random: () => number, news: SqlNews) {
    this.#pool = pool;
    this.#connections = connectionsOf(pool);
    this.#clock = clock;
    this.#random = random;
    this.#news = news;
    if (pool.options?.max === 1) this.channel = undefined;
  }

  get isOpen(): boolean {
    return this.#connection !== undefined;
  }

  get isFree(): boolean {
    return this.isOpen && !this.#isAsked;
  }

  /** Lends the line. It is the one connection that no body of the program can take. */
  async take(): Promise<PostgresConnection> {
    this.#isAsked = true;
    return this.#connection as PostgresConnection;
  }

  giveBack(connection: PostgresConnection): void {
    if (connection === this.#connection) this.#isAsked = false;
  }

  discard(connection: PostgresConnection): void {
    this.#lost(connection);
  }

  open(): void {
    if (this.#closed || this.channel === undefined || this.isOpen || this.#cancelTimer !== undefined) return;
    this.#opening ??= this.#open(this.channel).finally(() => {
      this.#opening = undefined;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopTimer();
    await this.#opening;
    this.#drop(this.#connection);
  }

  async #open(channel: string): Promise<void> {
    let connection: PostgresConnection | undefined;
    try {
      connection = await takeConnection(this.#connections, this.#clock, this.#soon(OPEN_MS));
      const opened = connection;
      connection.on('error', () => this.#lost(opened));
      connection.on('end', () => this.#lost(opened));
      if (!(await this.#answered(isDirect(connection)))) {
        this.channel = undefined; // heard by nobody: who waits asks
        this.#connections.giveBack(connection);
        return;
      }
      connection.on('notification', ({ payload }: { payload?: string }) => this.#take(payload ?? ''));
      await this.#answered(connection.query(`LISTEN ${channel}`));
    } catch {
      connection?.release(true);
      this.#reopenLater();
      return;
    }
    if (this.#closed) {
      connection.release(true);
      return;
    }
    this.#failures = 0;
    this.#connection = connection;
    connection.unref?.();
    this.#stopListening = listenTogether(process, 'beforeExit', this.#leaveEndingPool);
    this.#probeLater(connection);
    this.#news.gap();
  }

  #take(payload: string): void {
    const [word, ...rest] = payload.split(' ');
    if (word === 'broken') this.#news.broken(rest.join(' '));
    if (word !== 'granted') return;
    const [token = '', ttlMs, ...owner] = rest;
    this.#news.granted(owner.join(' '), BigInt(token), Number(ttlMs));
  }

  /** The connection is gone, or as good as gone. */
  #lost(connection: PostgresConnection): void {
    if (connection !== this.#connection) return;
    this.#drop(connection);
    this.#reopenLater();
  }

  #drop(connection: PostgresConnection | undefined): void {
    this.#stopTimer();
    this.#stopListening?.();
    this.#isAsked = false;
    this.#connection = undefined;
    connection?.ref?.(); // who ends the pool waits for the end of it
    connection?.release(true);
  }

  /** A connection that was cut off without a word would never say so by itself. */
  #probeLater(connection: PostgresConnection): void {
    this.#cancelTimer = this.#clock.callAt(
      this.#soon(PROBE_MS),
      () => {
        this.#cancelTimer = undefined;
        this.#leaveEndingPool();
        if (connection !== this.#connection) return;
        if (this.#isAsked) {
          this.#probeLater(connection);
          return;
        }
        this.#isAsked = true;
        this.#answered(connection.query('SELECT'))
          .finally(() => this.giveBack(connection))
          .then(
            () => {
              if (connection === this.#connection) this.#probeLater(connection);
            },
            () => this.#lost(connection),
          );
      },
      { keepAlive: false },
    );
  }

  /** A pool that is being ended waits for us, without a word to anybody; and so may a program that has nothing else to do. */
  readonly #leaveEndingPool = (): void => {
    if (this.#pool.ending === true) this.#drop(this.#connection);
  };

  #reopenLater(): void {
    if (this.#closed || this.#cancelTimer !== undefined || this.#pool.ending === true) return;
    const limitMs = Math.min(REOPEN_MS.most, REOPEN_MS.first * 2 ** Math.min(16, this.#failures++));
    this.#cancelTimer = this.#clock.callAt(
      this.#soon(limitMs / 2 + (this.#random() * limitMs) / 2),
      () => {
        this.#cancelTimer = undefined;
        this.open();
      },
      { keepAlive: false },
    );
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #soon(ms: number): Instant {
    return Instant.plus(this.#clock.now(), ms);
  }

  /** The answer, or a rejection when it takes too long. */
  #answered<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.callAt(
        this.#soon(PROBE_MS),
        () => reject(new Error('no answer from PostgreSQL on the listening connection')),
        { keepAlive: false, afterInput: true },
      );
      answer.then(resolve, reject).finally(cancel);
    });
  }
}
