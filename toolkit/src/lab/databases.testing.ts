import type { TestContext } from 'vitest';
import { findPgBouncer, findServers } from './servers/find-server.ts';

/** What the experiments on databases start. */
export function needsDatabases({ skip }: TestContext): void {
  const { postgres, mysql } = findServers();
  for (const program of [postgres, mysql, findPgBouncer()]) if ('missing' in program) skip(program.missing);
}
