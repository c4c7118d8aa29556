/**
 * The lock that people write by hand, as fast as a client can do it: `SET key owner NX PX` and a compare-and-delete.
 * It is what Holdfast's speed is compared with; it has no queue, no fencing token and no renewal.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

const COMPARE_AND_DELETE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;
const COMPARE_AND_EXTEND = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;

export class RawLocks {
  readonly #redis: Redis;
  readonly #ttlMs: number;
  readonly #releaseSha: string;
  readonly #extendSha: string;
  readonly #instance: string = randomUUID();
  #acquisitions = 0;

  private constructor(redis: Redis, ttlMs: number, releaseSha: string, extendSha: string) {
    this.#redis = redis;
    this.#ttlMs = ttlMs;
    this.#releaseSha = releaseSha;
    this.#extendSha = extendSha;
  }

  static async open(redis: Redis, ttlMs: number): Promise<RawLocks> {
    const load = async (script: string): Promise<string> => String(await redis.script('LOAD', script));
    return new RawLocks(redis, ttlMs, await load(COMPARE_AND_DELETE), await load(COMPARE_AND_EXTEND));
  }

  /** Gives the owner id. */
  async acquire(key: string): Promise<string> {
    const owner = `${this.#instance}:${++this.#acquisitions}`;
    const reply = await this.#redis.set(key, owner, 'PX', this.#ttlMs, 'NX');
    if (reply !== 'OK') throw new Error(`The key ${key} is taken, and nobody else should want it.`);
    return owner;
  }

  async release(key: string, owner: string): Promise<void> {
    const deleted = await this.#redis.evalsha(this.#releaseSha, 1, key, owner);
    if (deleted !== 1) throw new Error(`The key ${key} was not this owner's any more.`);
  }

  async extend(key: string, owner: string): Promise<void> {
    const extended = await this.#redis.evalsha(this.#extendSha, 1, key, owner, this.#ttlMs);
    if (extended !== 1) throw new Error(`The key ${key} was not this owner's any more.`);
  }
}
