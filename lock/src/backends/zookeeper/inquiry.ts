/**
 * What people on call ask: who holds, who waits, and away with it.
 *
 * @module
 */
import type { LockReport, OwnerReport } from '../../core/backend.ts';
import type { Instant } from '../../core/clock.ts';
import type { ZooKeeperClient } from './client/client.ts';
import { isCode } from './client/errors.ts';
import { fromPart, type NodeReport, readNode } from './nodes.ts';
import { inOrder } from './order.ts';

interface Contender {
  readonly node: string;
  readonly report: NodeReport;
  readonly since: Date;
  readonly token: bigint;
}

export class Inquiry {
  readonly #client: ZooKeeperClient;
  readonly #root: string;
  readonly #pathOf: (name: string) => string;

  constructor(client: ZooKeeperClient, root: string, pathOf: (name: string) => string) {
    this.#client = client;
    this.#root = root;
    this.#pathOf = pathOf;
  }

  async inspect(name: string, deadline: Instant): Promise<LockReport> {
    const [first, ...others] = await this.#line(this.#pathOf(name), deadline);
    return { name, holder: first === undefined ? null : holderReport(first), waiters: others.map(ownerReport) };
  }

  async list(deadline: Instant): Promise<readonly LockReport[]> {
    const parts = await this.#children(this.#root, deadline);
    const reports = await Promise.all(parts.map((part) => this.inspect(fromPart(part), deadline)));
    return reports
      .filter(({ holder }) => holder !== null)
      .sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  }

  /** Removes the node of the first in line. Who comes next has a larger czxid than it, so `raiseTo` refuses it alone. */
  async breakLock(name: string, deadline: Instant): Promise<{ broken: LockReport['holder']; raiseTo: bigint }> {
    const directory = this.#pathOf(name);
    for (;;) {
      const [first] = await this.#line(directory, deadline);
      if (first === undefined) return { broken: null, raiseTo: 0n };
      try {
        await this.#client.delete(`${directory}/${first.node}`, { deadline });
        return { broken: holderReport(first), raiseTo: first.token + 1n };
      } catch (error) {
        if (!isCode(error, 'NO_NODE')) throw error; // it has just left: look who is first now
      }
    }
  }

  async #line(directory: string, deadline: Instant): Promise<Contender[]> {
    const line = inOrder(await this.#children(directory, deadline));
    const contenders = await Promise.all(line.map((node) => this.#contender(directory, node, deadline)));
    return contenders.filter((each) => each !== undefined);
  }

  async #contender(directory: string, node: string, deadline: Instant): Promise<Contender | undefined> {
    try {
      const { data, stat } = await this.#client.getData(`${directory}/${node}`, { deadline });
      return { node, report: readNode(node, data), since: stat.createdAt, token: stat.czxid };
    } catch (error) {
      if (isCode(error, 'NO_NODE')) return undefined; // it has left meanwhile
      throw error;
    }
  }

  async #children(path: string, deadline: Instant): Promise<string[]> {
    // A follower may lag behind; people ask for what is so now.
    const [, listed] = await Promise.allSettled([
      this.#client.sync(path, { deadline }),
      this.#client.getChildren(path, { deadline }),
    ]);
    if (listed.status === 'fulfilled') return listed.value.children;
    if (isCode(listed.reason, 'NO_NODE')) return [];
    throw listed.reason;
  }
}

function ownerReport({ report, since }: Contender): OwnerReport {
  const { owner, host, pid, purpose } = report;
  return { owner, host, pid, purpose, since };
}

function holderReport(contender: Contender): NonNullable<LockReport['holder']> {
  return {
    ...ownerReport(contender),
    fencingToken: contender.token,
    remainingMs: undefined, // as long as its session lives
    foreign: contender.report.foreign,
  };
}
