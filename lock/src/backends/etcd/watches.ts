/**
 * Watches on keys, all on one stream: each calls back when its key is deleted, or when we cannot know any more whether
 * it was.
 *
 * A watch begins right after the revision at which somebody has read that the key is there, so that no deletion falls
 * between. If the stream breaks, or etcd cancels a watch (its history was compacted), the watch is over and says so:
 * who waits reads the state again and watches from there.
 *
 * @module
 */
import type { EtcdClient } from './client.ts';
import type { Stream } from './connection.ts';
import { decode, encode } from './messages.ts';

/** `deleted`: its key is gone. `gap`: we do not know. */
export type WatchNews = 'deleted' | 'gap';

interface Watch {
  readonly key: string;
  readonly startRevision: bigint;
  tell(news: WatchNews): void;
}

export class Watches {
  readonly #client: EtcdClient;
  readonly #watches: Map<bigint, Watch> = new Map();
  #stream: Stream | undefined;
  #opening = false;
  #closed = false;
  #ids = 0n;

  constructor(client: EtcdClient) {
    this.#client = client;
  }

  /** Calls `tell` once, until the returned function is called. */
  watch(key: string, startRevision: bigint, tell: (news: WatchNews) => void): () => void {
    const id = ++this.#ids;
    this.#watches.set(id, { key, startRevision, tell });
    if (this.#stream !== undefined) this.#stream.send(encode.watch({ id, key, startRevision }));
    else void this.#open();
    return () => {
      if (this.#watches.delete(id)) this.#stream?.send(encode.cancelWatch(id));
    };
  }

  close(): void {
    this.#closed = true;
    this.#watches.clear();
    this.#stream?.close();
    this.#stream = undefined;
  }

  async #open(): Promise<void> {
    if (this.#opening || this.#closed) return;
    this.#opening = true;
    try {
      const stream = await this.#client.watchStream({
        message: (message) => this.#take(message),
        ended: () => {
          this.#stream = undefined;
          this.#gap();
        },
      });
      if (this.#closed) return stream.close();
      this.#stream = stream;
      for (const [id, { key, startRevision }] of this.#watches) stream.send(encode.watch({ id, key, startRevision }));
    } catch {
      this.#gap();
    } finally {
      this.#opening = false;
    }
  }

  #take(message: Buffer): void {
    const { id, canceled, hasEvents } = decode.watch(message);
    const watch = this.#watches.get(id);
    if (watch === undefined || !(canceled || hasEvents)) return;
    this.#watches.delete(id);
    if (!canceled) this.#stream?.send(encode.cancelWatch(id));
    watch.tell(hasEvents ? 'deleted' : 'gap');
  }

  #gap(): void {
    const watches = [...this.#watches.values()];
    this.#watches.clear();
    for (const { tell } of watches) tell('gap');
  }
}
