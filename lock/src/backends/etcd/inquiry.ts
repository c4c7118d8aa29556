/**
 * What people on call ask of etcd: who holds and who waits, and to take a lock from its holder.
 *
 * @module
 */
import type { LockReport } from '../../core/backend.ts';
import type { Instant } from '../../core/clock.ts';
import type { EtcdClient } from './client.ts';
import { lineOf } from './contenders.ts';
import { dataInTheWay, notToBeBroken } from './failures.ts';
import { isData, nameOfLock, reportOf } from './keys.ts';
import type { KeyValue } from './messages.ts';
import * as transactions from './transactions.ts';

/** No lease runs this long: during an election etcd may answer with a number that means nothing. */
const LONGEST_TTL_S = 10 ** 9;

const PAGE = 1_000;

export class Inquiry {
  readonly #client: EtcdClient;
  readonly #keyPrefix: string;

  constructor(client: EtcdClient, keyPrefix: string) {
    this.#client = client;
    this.#keyPrefix = keyPrefix;
  }

  async inspect(name: string, deadline: Instant): Promise<LockReport> {
    const { line } = await this.#line(name, deadline);
    const [first] = line;
    if (first !== undefined && isData(first)) throw dataInTheWay(name, first.key);
    return this.#report(name, line, deadline);
  }

  /** Reads the names of all keys that begin with the prefix: on an etcd that has many others, give it one. */
  async list(deadline: Instant): Promise<readonly LockReport[]> {
    const keyPrefix = this.#keyPrefix;
    const names = new Set<string>();
    let from = keyPrefix === '' ? '\0' : keyPrefix;
    for (let more = true; more; ) {
      const end = keyPrefix === '' ? '\0' : afterAll(keyPrefix);
      const page = await this.#client.range({ key: from, rangeEnd: end, limit: PAGE, keysOnly: true }, deadline);
      for (const key of page.kvs) {
        const name = nameOfLock(key);
        if (name?.startsWith(keyPrefix)) names.add(name.slice(keyPrefix.length));
      }
      more = page.more;
      from = `${page.kvs.at(-1)?.key}\0`;
    }
    const reports = await Promise.all(
      [...names].sort().map(async (name) => this.#report(name, (await this.#line(name, deadline)).line, deadline)),
    );
    return reports.filter(({ holder, waiters }) => holder !== null || waiters.length > 0);
  }

  async breakLock(
    name: string,
    deadline: Instant,
  ): Promise<{ readonly broken: LockReport['holder']; readonly raiseTo: bigint }> {
    for (;;) {
      const { line, revision } = await this.#line(name, deadline);
      const [holder] = line;
      if (holder === undefined) return { broken: null, raiseTo: revision };
      if (isData(holder)) throw dataInTheWay(name, holder.key);
      if (nameOfLock(holder) === undefined) throw notToBeBroken(name, holder.key);
      const broken = await this.#holderReport(holder, deadline);
      const expel = transactions.expel(holder.key, holder.createRevision);
      const { succeeded } = await this.#client.transaction('a break', expel, deadline);
      // The next in line came after the holder, so its token is at least this.
      if (succeeded) return { broken, raiseTo: holder.createRevision + 1n };
    }
  }

  #line(name: string, deadline: Instant): ReturnType<typeof lineOf> {
    return lineOf(this.#client, this.#keyPrefix + name, deadline, { keysOnly: false });
  }

  /** Who stands in a line. Nobody holds the lock where data is ahead of all; who is behind it, such as a Go program, waits. */
  async #report(name: string, line: readonly KeyValue[], deadline: Instant): Promise<LockReport> {
    const [first] = line;
    const holder = first === undefined || isData(first) ? undefined : first;
    return {
      name,
      holder: holder === undefined ? null : await this.#holderReport(holder, deadline),
      waiters: line
        .filter((each) => each !== holder && !isData(each))
        .map((waiter) => {
          const { foreign, ...report } = reportOf(waiter);
          return report;
        }),
    };
  }

  async #holderReport(key: KeyValue, deadline: Instant): Promise<LockReport['holder']> {
    const report = { ...reportOf(key), fencingToken: key.createRevision };
    const { ttlS } = await this.#client.timeToLive(key.lease, deadline);
    return { ...report, remainingMs: ttlS > LONGEST_TTL_S ? undefined : Math.max(0, ttlS * 1000) };
  }
}

/** The first key after all that begin with this text. */
function afterAll(prefix: string): Buffer {
  const end = Buffer.from(prefix);
  for (let at = end.length - 1; at >= 0; at--) {
    const byte = end[at] as number;
    if (byte < 0xff) {
      end[at] = byte + 1;
      return end.subarray(0, at + 1);
    }
  }
  return Buffer.of(0);
}
