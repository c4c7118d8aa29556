/**
 * A few calls of etcd as every language can make them: JSON over HTTP, which each member answers. As clients do, it asks
 * the first member that answers, and goes on to the next when that one closes the door.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAddress } from '../../connect/address.ts';

export interface Lease {
  readonly id: string;
  readonly ttlS: number;
}

/** How long an answer may take, as clients have it by default. */
const ANSWER_LIMIT_MS = 5_000;

/** Before it watches again, when a watch has broken. */
const AGAIN_MS = 100;

export class EtcdGateway {
  readonly #members: readonly string[];
  #current = 0;

  /** `etcd://host:port,host:port`. */
  constructor(url: string) {
    const address = parseAddress(url);
    if (address.kind !== 'etcd') throw new Error('This lock needs an etcd:// URL.');
    this.#members = address.members;
  }

  async grant(ttlS: number): Promise<Lease> {
    const { ID, TTL } = await this.#call('lease/grant', { TTL: ttlS });
    return { id: ID, ttlS: Number(TTL) };
  }

  async keepAlive({ id }: Lease): Promise<void> {
    await this.#call('lease/keepalive', { ID: id });
  }

  async revoke({ id }: Lease): Promise<void> {
    await this.#call('lease/revoke', { ID: id });
  }

  /** In one transaction, on the condition that the key has never been created or has been deleted. */
  async putIfAbsent(key: string, { id }: Lease): Promise<{ readonly created: boolean; readonly revision: bigint }> {
    const answer = await this.#call('kv/txn', {
      compare: [{ key: base64(key), target: 'CREATE', createRevision: '0' }],
      success: [{ requestPut: { key: base64(key), value: base64('locked'), lease: id } }],
    });
    return { created: answer.succeeded === true, revision: BigInt(answer.header.revision) };
  }

  /** Resolves when the key was deleted after this revision, when the watch has broken, or when the time is over. */
  async untilDeleted(key: string, revision: bigint, limitMs: number): Promise<void> {
    const watch = {
      create_request: { key: base64(key), start_revision: String(revision + 1n), filters: ['NOPUT'] },
    };
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), limitMs);
    try {
      const response = await this.#post('watch', watch, over.signal);
      let text = '';
      for await (const part of response.body ?? []) {
        text += Buffer.from(part).toString();
        if (text.includes('"events"')) return;
      }
    } catch {
      if (!over.signal.aborted) await sleep(Math.min(AGAIN_MS, limitMs));
    } finally {
      clearTimeout(timer);
      // Ends the watch at the server.
      over.abort();
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the answers of five calls, of which each caller knows its own.
  async #call(path: string, asks: object): Promise<any> {
    const response = await this.#post(path, asks, AbortSignal.timeout(ANSWER_LIMIT_MS));
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    const answer: any = await response.json();
    return answer.result ?? answer;
  }

  /** Sent again only to a member that could not be reached before. */
  async #post(path: string, asks: object, signal: AbortSignal): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const member = this.#members[this.#current];
      try {
        const response = await fetch(`http://${member}/v3/${path}`, {
          method: 'POST',
          body: JSON.stringify(asks),
          signal,
        });
        if (response.ok) return response;
        throw new Error(`etcd answered ${path} with ${response.status}: ${(await response.text()).slice(0, 200)}`);
      } catch (error) {
        const refused = (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED';
        this.#current = (this.#current + 1) % this.#members.length;
        if (!refused || attempt >= this.#members.length) throw error;
      }
    }
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
