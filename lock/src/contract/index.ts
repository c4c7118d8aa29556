/**
 * The behaviour that all backends share, as tests: one case for each fact. A backend of your own can run it, too.
 *
 * @example
 * import { afterAll, beforeAll, describe, it } from 'vitest';
 * import { describeBackend } from 'holdfast/contract';
 *
 * describeBackend({ afterAll, beforeAll, describe, it }, 'mine', {
 *   start: async () => ({ create: () => myBackend() }),
 *   doesNotApply: { 'a holder that is killed frees the lock for a waiter, by its TTL at the latest': 'the lock lives and dies with the process' },
 * });
 *
 * @module
 */
import { accessCases } from './cases/access.ts';
import { exclusionCases } from './cases/exclusion.ts';
import { leaseCases } from './cases/lease.ts';
import { nameCases } from './cases/names.ts';
import { networkCases } from './cases/network.ts';
import { processCases } from './cases/processes.ts';
import { requestCases } from './cases/requests.ts';
import { resourceCases } from './cases/resources.ts';
import { waitingCases } from './cases/waiting.ts';
import { type BackendUnderTest, CaseContext, type ContractCase } from './subject.ts';

export { Relay } from './relay.ts';
export type { BackendUnderTest, ContractCase };

/** What the suite needs of a test runner: vitest, jest and node:test have it. */
export interface TestRunner {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void>, timeoutMs?: number): void;
  beforeAll(body: () => Promise<void>, timeoutMs?: number): void;
  afterAll(body: () => Promise<void>, timeoutMs?: number): void;
}

export interface ContractOptions {
  /** Starts what the backend needs. Runs once, before the cases. */
  start(): Promise<BackendUnderTest>;
  /** Cases that make no sense for this backend, each with the reason, which is printed. All others must pass. */
  readonly doesNotApply?: Readonly<Record<string, string>>;
  /** Only these cases, by name: for another set-up of a backend that runs them all elsewhere. Default: all. */
  readonly only?: readonly string[];
}

/** All cases, in the order in which they run. */
export const contractCases: readonly ContractCase[] = [
  ...accessCases,
  ...exclusionCases,
  ...waitingCases,
  ...leaseCases,
  ...requestCases,
  ...nameCases,
  ...processCases,
  ...networkCases,
  ...resourceCases,
];

/** Registers the cases with a test runner. A case that needs what the backend does not have fails, unless it is said why. */
export function describeBackend(runner: TestRunner, id: string, options: ContractOptions): void {
  const { doesNotApply = {}, only } = options;
  const known = new Set(contractCases.map(({ name }) => name));
  for (const [option, names] of Object.entries({ doesNotApply: Object.keys(doesNotApply), only: only ?? [] })) {
    for (const name of names) {
      if (!known.has(name)) throw new Error(`${option} of ${id} names a case that does not exist: ${name}`);
    }
  }
  runner.describe(`the contract, on ${id}`, () => {
    let subject: BackendUnderTest | undefined;
    runner.beforeAll(async () => {
      subject = await options.start();
    }, 60_000);
    runner.afterAll(async () => {
      await subject?.stop?.();
    }, 60_000);
    for (const each of contractCases) {
      if (only !== undefined && !only.includes(each.name)) continue;
      const reason = doesNotApply[each.name];
      if (reason !== undefined) {
        console.info(`  - ${id}: "${each.name}" does not apply: ${reason}`);
        continue;
      }
      runner.it(
        each.name,
        async () => {
          if (subject === undefined) throw new Error(`The ${id} backend did not start.`);
          const context = new CaseContext(subject);
          try {
            await each.run(context);
          } finally {
            await context.end();
          }
        },
        each.timeoutMs ?? 30_000,
      );
    }
  });
}
