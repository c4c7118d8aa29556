/**
 * What one owner has at the server: its node in the line of a lock, from the first request for it until it is certainly
 * gone. The first in line holds; everybody else watches the one before, and nobody but that one.
 *
 * The node carries the owner's own prefix, so that it is found again when the reply to its making was lost. No request is
 * ever sent a second time to find out: it is looked up.
 *
 * @module
 */
import type { AcquireRequest, Granted } from '../../core/backend.ts';
import type { CancelTimer, Instant } from '../../core/clock.ts';
import type { ZooKeeperClient } from './client/client.ts';
import { isCode } from './client/errors.ts';
import { type Acl, CreateMode, EventType, type WatchEvent } from './client/protocol.ts';
import { ensureDirectory } from './directory.ts';
import { dataInTheWay } from './failures.ts';
import { isOfSession, nodeData, nodePrefix } from './nodes.ts';
import { inOrder } from './order.ts';

export interface PlaceOptions {
  readonly client: ZooKeeperClient;
  readonly request: AcquireRequest;
  /** The node of the lock. */
  readonly directory: string;
  readonly acl: readonly Acl[];
  /** The one before us has gone, or something happened to it. */
  wake(): void;
  /** Somebody else has removed our node. */
  broken(): void;
}

/** `first`: the lock is ours. `gone`: the node was there, and is not any more. */
export type Standing = 'first' | 'behind' | 'gone';

export class Place {
  readonly request: AcquireRequest;
  /** What was last told about the grant. */
  granted: Granted | undefined;
  /** Ends the wait for the moment from which on nobody wants this place any more. */
  cancelLapse: CancelTimer = () => undefined;
  lapseAt: Instant = Number.POSITIVE_INFINITY as Instant;
  readonly #options: PlaceOptions;
  readonly #prefix: string;
  /** The name of the node, once we know it. */
  #node: string | undefined;
  #token: bigint | undefined;
  /** A request that makes the node has left. */
  #isAsked = false;
  #isEnding = false;
  #isGone = false;
  /** A delete has left, of which we have no answer. */
  #mayBeDeleted = false;
  #watched: string | undefined;
  #isOwnWatched = false;
  #lastStep: Promise<unknown> | undefined;

  constructor(options: PlaceOptions) {
    this.#options = options;
    this.request = options.request;
    this.#prefix = nodePrefix(options.request.owner, options.client.session.id);
  }

  get token(): bigint {
    return this.#token as bigint;
  }

  /** Nobody wants it any more, and it is being removed. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /**
   * Takes a place at the end of the line, or keeps the one there is; then says where it stands. Rejects with CONFIG behind
   * a node that is somebody's data; the place is then to be removed.
   */
  enter(deadline: Instant): Promise<Standing> {
    return this.#inTurn(() => this.#enter(deadline));
  }

  /** Where it stands. Asks for the one before only, as long as that one is there. */
  stay(deadline: Instant): Promise<Standing> {
    return this.#inTurn(async () => {
      if (this.#isEnding) return 'gone';
      if (this.#watched !== undefined && (await this.#watch(this.#watched, deadline))) return 'behind';
      return this.#enter(deadline);
    });
  }

  /** Whether the node is still there; from now on we hear it when it is removed. */
  async isThere(deadline: Instant): Promise<boolean> {
    if (this.#node === undefined || this.#isEnding) return false;
    if (this.#isOwnWatched) return true;
    try {
      await this.#options.client.getData(this.#path(this.#node), { watch: this.#onOwnEvent, deadline });
      this.#isOwnWatched = true;
      return true;
    } catch (error) {
      if (isCode(error, 'NO_NODE')) return false;
      throw error;
    }
  }

  /**
   * Removes the node, wherever the attempt to make it has got to. Resolves when it is certainly gone, with whether it was
   * there until now; rejects if nobody knows, and is then called again.
   */
  remove(deadline?: Instant): Promise<boolean> {
    this.#isEnding = true;
    this.cancelLapse();
    return this.#inTurn(() => this.#remove(deadline));
  }

  async #enter(deadline: Instant): Promise<Standing> {
    if (this.#isEnding) return 'gone';
    let children = await this.#make(deadline);
    for (;;) {
      const line = inOrder(children);
      const own = line.indexOf(this.#node as string);
      if (own < 0) return this.#lost();
      if (own === 0) {
        this.#unwatch();
        return 'first';
      }
      // The one before may have gone since the list was made: then there is nothing to watch, and we look again.
      if (await this.#watch(line[own - 1] as string, deadline)) return 'behind';
      children = await this.#list(deadline);
    }
  }

  /** Makes the node if there is none, and gives the line as it is with it. */
  async #make(deadline: Instant): Promise<string[]> {
    const { client, directory } = this.#options;
    if (this.#node !== undefined) return this.#list(deadline);
    if (this.#isAsked) {
      const children = await this.#find(deadline);
      if (this.#node !== undefined) return children;
    }
    for (;;) {
      const [made, listed] = await this.#createAndList(deadline);
      if (made.status === 'fulfilled') {
        this.#node = made.value.path.slice(directory.length + 1);
        this.#token = made.value.stat.czxid;
        if (listed.status === 'fulfilled') return listed.value.children;
        throw listed.reason;
      }
      if (!isCode(made.reason, 'NO_NODE')) throw made.reason;
      await ensureDirectory(client, directory, this.#options.acl, deadline);
    }
  }

  /** After a long wait the leader is asked along with it, since a grant is worth what is certain of the session. */
  async #list(deadline: Instant): Promise<string[]> {
    const { client, directory } = this.#options;
    const synced = client.session.isDoubtful ? client.sync(directory, { deadline }) : undefined;
    const [answer, listed] = await Promise.allSettled([synced, client.getChildren(directory, { deadline })]);
    if (answer.status === 'rejected') throw answer.reason;
    if (listed.status === 'fulfilled') return listed.value.children;
    if (isCode(listed.reason, 'NO_NODE')) return []; // all of them have been removed, and ours with them
    throw listed.reason;
  }

  /** Both in one piece: the server works on them in this order, so that the list has the node. */
  #createAndList(deadline: Instant) {
    const { client, directory, acl, request } = this.#options;
    const node = { mode: CreateMode.ephemeralSequential, data: nodeData(request), acl };
    const created = client.create(`${directory}/${this.#prefix}`, node, { deadline });
    this.#isAsked = true;
    return Promise.allSettled([created, client.getChildren(directory, { deadline })]);
  }

  /** Looks whether the node was made, after a reply that was lost: gives the line, which is current. */
  async #find(deadline?: Instant): Promise<string[]> {
    const { client, directory } = this.#options;
    const options = deadline === undefined ? {} : { deadline };
    const [synced, listed] = await Promise.allSettled([
      client.sync(directory, options),
      client.getChildren(directory, options),
    ]);
    if (synced.status === 'rejected') throw synced.reason;
    if (listed.status === 'rejected') {
      if (isCode(listed.reason, 'NO_NODE')) return [];
      throw listed.reason;
    }
    const { children } = listed.value;
    const node = children.find((child) => child.startsWith(this.#prefix));
    if (node === undefined) return children;
    const stat = await client.exists(this.#path(node), options);
    if (stat === null) return children;
    this.#token = stat.czxid;
    this.#node = node;
    return children;
  }

  async #remove(deadline: Instant | undefined): Promise<boolean> {
    const { client } = this.#options;
    if (this.#isGone) return false;
    this.#unwatch();
    if (this.#node === undefined && this.#isAsked) await this.#find(deadline);
    let wasThere = false;
    if (this.#node !== undefined) {
      try {
        await client.delete(this.#path(this.#node), deadline === undefined ? {} : { deadline });
        wasThere = true;
      } catch (error) {
        if (!isCode(error, 'NO_NODE')) {
          this.#mayBeDeleted = true;
          throw error;
        }
        wasThere = this.#mayBeDeleted;
      }
    }
    this.#isGone = true;
    return wasThere;
  }

  #lost(): 'gone' {
    this.#isGone = true;
    this.#isEnding = true;
    this.#unwatch();
    this.cancelLapse();
    return 'gone';
  }

  async #watch(node: string, deadline: Instant): Promise<boolean> {
    if (this.#watched !== node) this.#unwatch();
    this.#watched = node;
    try {
      const { stat } = await this.#options.client.getData(this.#path(node), { watch: this.#onEvent, deadline });
      if (!isOfSession(stat)) throw dataInTheWay(this.request.name, this.#path(node));
      return true;
    } catch (error) {
      if (!isCode(error, 'NO_NODE')) throw error;
      this.#watched = undefined;
      return false;
    }
  }

  #unwatch(): void {
    if (this.#watched === undefined) return;
    this.#options.client.unwatch(this.#path(this.#watched), 'data', this.#onEvent);
    this.#watched = undefined;
  }

  readonly #onEvent = ({ type }: WatchEvent): void => {
    if (type === EventType.deleted) this.#watched = undefined;
    this.#options.wake();
  };

  readonly #onOwnEvent = ({ type }: WatchEvent): void => {
    this.#isOwnWatched = false; // a change of the data: the next renewal watches again
    if (type !== EventType.deleted || this.#isEnding) return;
    this.#lost();
    this.#options.broken();
  };

  #path(node: string): string {
    return `${this.#options.directory}/${node}`;
  }

  /** One step after the other; the first is made at once, so that what is sent keeps the order of the calls. */
  #inTurn<Answer>(step: () => Promise<Answer>): Promise<Answer> {
    const before = this.#lastStep;
    const answer = before === undefined ? step() : before.then(step, step);
    const settled = answer.then(
      () => undefined,
      () => undefined,
    );
    this.#lastStep = settled;
    void settled.then(() => {
      if (this.#lastStep === settled) this.#lastStep = undefined;
    });
    return answer;
  }
}
