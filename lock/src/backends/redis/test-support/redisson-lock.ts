/**
 * A lock that does on the wire what Redisson's RLock does, written from a description of its layout: a hash with one
 * counted field, a release channel, and waiters that try, subscribe, try again, and sleep until a message or the TTL.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

const ACQUIRE = `
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return false
end
return redis.call('PTTL', KEYS[1])`;

const RELEASE = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return false end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], '0')
return 1`;

export class RedissonLock {
  readonly #client: Redis;
  readonly #subscriber: Redis;
  readonly #key: string;
  readonly #channel: string;
  readonly #owner = `${randomUUID()}:1`;
  #wake: () => void = () => undefined;
  /** Messages that came while nobody slept; each ends one sleep before it begins, as a permit does in Redisson. */
  #permits = 0;
  /** Whether it has found the lock taken, listens, and waits for a message or the end of the TTL. */
  isAsleep = false;

  constructor(client: Redis, key: string) {
    this.#client = client;
    this.#subscriber = client.duplicate();
    this.#key = key;
    this.#channel = key.includes('{') ? `redisson_lock__channel:${key}` : `redisson_lock__channel:{${key}}`;
    this.#subscriber.on('message', (_channel, message) => {
      if (message !== '0') return;
      this.#permits++;
      this.#wake();
    });
  }

  async acquire(leaseMs: number, waitMs: number): Promise<boolean> {
    const giveUpAt = Date.now() + waitMs;
    if ((await this.#try(leaseMs)) === null) return true;
    await this.#subscriber.subscribe(this.#channel);
    try {
      while (Date.now() < giveUpAt) {
        const restMs = await this.#try(leaseMs);
        if (restMs === null) return true;
        await this.#sleep(Math.min(restMs, giveUpAt - Date.now()));
      }
      return false;
    } finally {
      await this.#subscriber.unsubscribe(this.#channel);
    }
  }

  async release(): Promise<boolean> {
    return (await this.#client.eval(RELEASE, 1, this.#key, this.#owner, this.#channel)) === 1;
  }

  close(): void {
    this.#subscriber.disconnect();
  }

  async #try(leaseMs: number): Promise<number | null> {
    return (await this.#client.eval(ACQUIRE, 1, this.#key, this.#owner, leaseMs)) as number | null;
  }

  #sleep(ms: number): Promise<void> {
    this.isAsleep = true;
    return new Promise((resolve) => {
      const end = (): void => {
        this.#wake = () => undefined;
        this.isAsleep = false;
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(end, Math.max(0, ms));
      this.#wake = () => {
        if (this.#permits === 0) return;
        this.#permits--;
        end();
      };
      this.#wake();
    });
  }
}
