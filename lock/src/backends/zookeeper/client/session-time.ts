/**
 * Until when a session certainly lives, whatever happens from now on.
 *
 * The leader of the ensemble ends sessions, and counts from when it last heard of ours. But we may be connected to a
 * follower, and that answers pings by itself: it reports whom it has heard of only when the leader asks, every half tick.
 * A follower that is cut off from its leader goes on answering pings, for ten seconds as ZooKeeper is delivered, while the
 * leader ends the session. So a ping that was answered proves nothing yet. What does is a request that the leader took
 * part in (a write, or `sync`): it was sent through the same pipe as the follower's reports, so everything the follower
 * had reported before is known to the leader. Hence the rule: an answer by the leader makes certain what was answered at
 * least half a tick before that request left. A session is at least two ticks long, so half a tick is at most a quarter
 * of the session.
 *
 * @module
 */
import { Instant } from '../../../core/clock.ts';

/** Of a session: how much older than a request to the leader a request must be that it confirms. */
const REPORTED_AFTER = 1 / 4;

/**
 * Of a session: what must be certain of it for a grant. A lock that is granted with less could be over before a renewal
 * can prove anything, which takes a quarter of the session.
 */
const ENOUGH = 3 / 8;

/** Of a session: requests that are closer together count as one, so that few are remembered. */
const RESOLUTION = 1 / 64;

interface Answered {
  readonly sentAt: Instant;
  readonly answeredAt: Instant;
}

export class SessionTime {
  readonly timeoutMs: number;
  #certainFrom: Instant;
  /** What was answered and is not confirmed yet, the oldest first. */
  #answered: Answered[] = [];

  /** A session was made, or taken up again, by a request that left at `sentAt`; the leader takes part in both. */
  constructor(timeoutMs: number, sentAt: Instant) {
    this.timeoutMs = timeoutMs;
    this.#certainFrom = sentAt;
  }

  /** The leader counts the session from here, or from later. */
  get certainFrom(): Instant {
    return this.#certainFrom;
  }

  /** In what time a grant makes sense: 0 is now, unless the server was silent for long, and answers again since a moment ago. */
  grantableInMs(now: Instant): number {
    const restMs = Instant.plus(this.#certainFrom, this.timeoutMs) - now;
    return restMs < this.timeoutMs * ENOUGH ? this.timeoutMs * REPORTED_AFTER : 0;
  }

  /** A request was answered. */
  take(sentAt: Instant, answeredAt: Instant, byLeader: boolean): void {
    if (byLeader) this.#confirm(Instant.plus(sentAt, -this.timeoutMs * REPORTED_AFTER));
    const last = this.#answered.at(-1);
    if (last !== undefined && sentAt - last.sentAt < this.timeoutMs * RESOLUTION) return;
    this.#answered.push({ sentAt, answeredAt });
  }

  #confirm(reportedUntil: Instant): void {
    let confirmed = 0;
    for (const { answeredAt } of this.#answered) {
      if (answeredAt > reportedUntil) break;
      confirmed++;
    }
    const newest = this.#answered[confirmed - 1];
    if (newest === undefined) return;
    if (newest.sentAt > this.#certainFrom) this.#certainFrom = newest.sentAt;
    this.#answered = this.#answered.slice(confirmed);
  }
}
