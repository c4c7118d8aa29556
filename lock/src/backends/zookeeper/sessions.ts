/**
 * The sessions of one backend object: one for each TTL, made at the first use, and a new one when the old one is over.
 *
 * @module
 */
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import type { OwnerId } from '../../core/backend.ts';
import type { Clock, Instant } from '../../core/clock.ts';
import { LockError } from '../../core/errors.ts';
import type { ConnectString } from './client/hosts.ts';
import type { Acl } from './client/protocol.ts';
import type { Digest } from './client/session.ts';
import { LockSession, type LockSessionOptions } from './lock-session.ts';
import type { Place } from './place.ts';

export interface SessionsOptions extends Pick<LockSessionOptions, 'wake' | 'lost'> {
  readonly servers: ConnectString;
  readonly digest: Digest | undefined;
  readonly tls: TlsOptions | undefined;
  readonly acl: readonly Acl[];
  readonly clock: Clock;
  readonly random: () => number;
}

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #byTtl: Map<number, LockSession> = new Map();
  #isClosed = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Any that there is, for questions that belong to no lock. */
  get any(): LockSession | undefined {
    const [session] = this.#byTtl.values();
    return session;
  }

  /** The session for a TTL, connected. */
  async of(ttlMs: number, deadline: Instant): Promise<LockSession> {
    if (this.#isClosed) throw new LockError('CLOSED', 'This zookeeper backend was closed.');
    let session = this.#byTtl.get(ttlMs);
    if (session === undefined) {
      session = this.#make(ttlMs);
      this.#byTtl.set(ttlMs, session);
    }
    await session.client.session.connected(deadline);
    return session;
  }

  /** The place that an owner has, and where. */
  find(owner: OwnerId): { session: LockSession; place: Place } | undefined {
    for (const session of this.#byTtl.values()) {
      const place = session.place(owner);
      if (place !== undefined) return { session, place };
    }
    return undefined;
  }

  async close(deadline: Instant): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#byTtl.values()].map((session) => session.close(deadline)));
  }

  #make(ttlMs: number): LockSession {
    const { servers, digest, tls, acl, clock, random, wake, lost } = this.#options;
    const { hosts, chroot } = servers;
    return new LockSession({
      client: { hosts, chroot, timeoutMs: Math.ceil(ttlMs), tls, digest, clock, random },
      acl,
      wake,
      lost,
      over: (session) => {
        if (this.#byTtl.get(ttlMs) === session) this.#byTtl.delete(ttlMs);
      },
    });
  }
}
