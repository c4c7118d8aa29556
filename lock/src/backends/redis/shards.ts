/**
 * The inboxes of this process on the shards of a cluster: one for each lock that somebody here waits for, in the slot of
 * that lock, so that a hand-over is told by the node that has the lock and goes to no other.
 *
 * Cluster clients move such a subscription when its slot moves, and do not say what was missed meanwhile. So waiters look
 * for themselves now and then, and a proof that does not come opens everything anew.
 *
 * @module
 */
import type { RedisSubscriber } from './client.ts';
import { PROOF, Proof } from './proof.ts';

/** How many inboxes stay open though nobody waits there: who waits next needs no subscription. */
const IDLE_KEPT = 64;

/** How long the confirmation of a subscription may take, and when to ask again after a refusal. */
const CONFIRM_MS = 5_000;
const RETRY_MS = 1_000;

export interface ShardEvents {
  onInbox(message: string): void;
  /** Nothing comes through, though something should. */
  onDeaf(): void;
}

interface ShardInbox {
  readonly channel: string;
  /** Who waits there. */
  readonly wakes: Set<() => void>;
  readonly proof: Proof;
  state: 'closed' | 'asked' | 'open';
  askedAtMs: number;
}

type ShardChannels = NonNullable<RedisSubscriber['shard']>;

export class Shards {
  readonly #events: ShardEvents;
  readonly #inboxes: Map<string, ShardInbox> = new Map();
  readonly #idle: Set<ShardInbox> = new Set();
  /** Undefined while there is no connection. */
  #channels: ShardChannels | undefined;

  constructor(events: ShardEvents) {
    this.#events = events;
  }

  /** Whether messages come through this channel. If not yet, it is opened, and `wake` is called when they do. */
  hears(channel: string, wake: () => void, prove: () => Promise<unknown>): boolean {
    const inbox = this.#inboxOf(channel);
    inbox.wakes.add(wake);
    this.#idle.delete(inbox);
    if (inbox.state === 'open') inbox.proof.seek(prove, () => this.#missed(inbox));
    else if (inbox.state === 'closed') this.#subscribe(inbox);
    else if (performance.now() - inbox.askedAtMs > CONFIRM_MS) this.#events.onDeaf();
    return inbox.state === 'open';
  }

  /** Ends the interest in a channel. */
  leave(channel: string, wake: () => void): void {
    const inbox = this.#inboxes.get(channel);
    if (inbox === undefined || !inbox.wakes.delete(wake) || inbox.wakes.size > 0) return;
    this.#idle.add(inbox);
    if (this.#idle.size <= IDLE_KEPT) return;
    const [oldest] = this.#idle;
    if (oldest !== undefined) this.#forget(oldest);
  }

  /** There is a connection, for the first time or again. */
  connected(channels: ShardChannels | undefined): void {
    this.disconnected();
    this.#channels = channels;
    for (const inbox of this.#inboxes.values()) this.#subscribe(inbox);
  }

  disconnected(): void {
    this.#channels = undefined;
    for (const inbox of this.#idle) this.#inboxes.delete(inbox.channel);
    this.#idle.clear();
    for (const inbox of this.#inboxes.values()) inbox.state = 'closed';
  }

  /** Takes a message, if it came through one of these channels. */
  take(channel: string, message: string): boolean {
    const inbox = this.#inboxes.get(channel);
    if (inbox === undefined) return false;
    inbox.proof.found();
    if (message !== PROOF) this.#events.onInbox(message);
    return true;
  }

  #inboxOf(channel: string): ShardInbox {
    let inbox = this.#inboxes.get(channel);
    if (inbox === undefined) {
      inbox = { channel, wakes: new Set(), proof: new Proof(), state: 'closed', askedAtMs: 0 };
      this.#inboxes.set(channel, inbox);
    }
    return inbox;
  }

  #forget(inbox: ShardInbox): void {
    this.#idle.delete(inbox);
    this.#inboxes.delete(inbox.channel);
    this.#channels?.unsubscribe(inbox.channel).catch(() => undefined);
  }

  #subscribe(inbox: ShardInbox): void {
    const channels = this.#channels;
    if (channels === undefined) return;
    inbox.state = 'asked';
    inbox.askedAtMs = performance.now();
    const isStillAsked = (): boolean => channels === this.#channels && this.#inboxes.get(inbox.channel) === inbox;
    channels.subscribe(inbox.channel).then(
      () => {
        if (!isStillAsked()) return;
        inbox.state = 'open';
        inbox.proof.found();
        for (const wake of [...inbox.wakes]) wake(); // what came before was not heard
      },
      () => {
        // The slot may be on its way to another node, or its node be away.
        setTimeout(() => isStillAsked() && this.#subscribe(inbox), RETRY_MS).unref();
      },
    );
  }

  #missed(inbox: ShardInbox): void {
    if (inbox.state === 'open' && this.#inboxes.get(inbox.channel) === inbox) this.#events.onDeaf();
  }
}
