import { createRequire } from 'node:module';
import { availableParallelism, release, type } from 'node:os';
import type { Machine } from './result.ts';

/** Where and with what a check-up ran. */
export function machineNow(servers: readonly string[]): Machine {
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  return {
    os: `${type()} ${release()}`,
    arch: process.arch,
    cpus: availableParallelism(),
    node: process.version,
    toolkit: version,
    servers,
  };
}
