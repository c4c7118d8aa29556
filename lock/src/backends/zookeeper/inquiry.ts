/**
 * What people on call ask: who holds, who waits, and away with it.
 *
 * @module
 */
import type { LockReport, OwnerReport } from '../../core/backend.ts';
import type { Instant } from '../../core/clock.ts';
import type { ZooKeeperClient } from './client/client.ts';
import { isCode } from './client/errors.ts';
import { dataInTheWay } from './failures.ts';
import { fromPart, isOfSession, type NodeReport, readNode } from './nodes.ts';
import { inOrder, isBehindAll } from './order.ts';

interface Contender {
  readonly node: string;
  readonly report: NodeReport;
  readonly since: Date;
  readonly token: bigint;
  /** It is nobody who holds or waits, but what somebody else keeps there. */
  readonly isData: boolean;
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
    const directory = this.#pathOf(name);
    const line = await this.#line(directory, deadline);
    const [first] = line;
    if (first?.isData) throw dataInTheWay(name, `${directory}/${first.node}`);
    return reportOf(name, line);
  }

  async list(deadline: Instant): Promise<readonly LockReport[]> {
    const parts = await this.#children(this.#root, deadline);
    const reports = await Promise.all(
      parts.map(fromPart).map(async (name) => reportOf(name, await this.#line(this.#pathOf(name), deadline))),
    );
    return reports
      .filter(({ holder, waiters }) => holder !== null || waiters.length > 0)
      .sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  }

  /** Removes the node of the first in line. Who comes next has a larger czxid than it, so `raiseTo` refuses it alone. */
  async breakLock(name: string, deadline: Instant): Promise<{ broken: LockReport['holder']; raiseTo: bigint }> {
    const directory = this.#pathOf(name);
    for (;;) {
      const [first] = await this.#line(directory, deadline);
      if (first === undefined) return { broken: null, raiseTo: 0n };
      if (first.isData) throw dataInTheWay(name, `${directory}/${first.node}`);
      try {
        await this.#client.delete(`${directory}/${first.node}`, { deadline });
        return { broken: holderReport(first), raiseTo: first.token + 1n };
      } catch (error) {
        if (!isCode(error, 'NO_NODE')) throw error; // it has just left: look who is first now
      }
    }
  }

  /** The line as contenders see it, with what others keep there, if that can be in anybody's way. */
  async #line(directory: string, deadline: Instant): Promise<Contender[]> {
    const nodes = inOrder(await this.#children(directory, deadline));
    const found = await Promise.all(nodes.map((node) => this.#contender(directory, node, deadline)));
    return found.filter((each) => each !== undefined).filter(({ isData, node }) => !isData || !isBehindAll(node));
  }

  async #contender(directory: string, node: string, deadline: Instant): Promise<Contender | undefined> {
    try {
      const { data, stat } = await this.#client.getData(`${directory}/${node}`, { deadline });
      return {
        node,
        report: readNode(node, data),
        since: stat.createdAt,
        token: stat.czxid,
        isData: !isOfSession(stat),
      };
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

/** Nobody holds the lock where data is ahead of all; who is behind it, such as a Curator, waits. */
function reportOf(name: string, line: readonly Contender[]): LockReport {
  const [first] = line;
  const holder = first === undefined || first.isData ? undefined : first;
  return {
    name,
    holder: holder === undefined ? null : holderReport(holder),
    waiters: line.filter((each) => each !== holder && !each.isData).map(ownerReport),
  };
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
