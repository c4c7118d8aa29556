/**
 * The figures of five servers as text: from data to lines, nothing else.
 *
 * @module
 */
import type { Circumstances } from '../publish.ts';
import type { Spread } from '../statistics.ts';
import type { OutageFigures, PairFigures } from './measures.ts';

export interface RedlockBenchResult extends Circumstances {
  readonly server: string;
  readonly pairs: readonly PairFigures[];
  /** With the servers a millisecond away. */
  readonly apart: readonly PairFigures[];
  readonly outages: readonly OutageFigures[];
}

/** Markdown. */
export function describeRedlock({
  startedAt,
  command,
  rounds,
  server,
  machine,
  ...result
}: RedlockBenchResult): string {
  const load = `Load average ${result.loadBefore.toFixed(1)} before and ${result.loadAfter.toFixed(1)} after`;
  return [
    `Measured on ${startedAt.slice(0, 10)} with \`${command}\`: ${rounds} rounds. ${server}; ${machine}. ${load}.`,
    '',
    '| acquire and release, serial | pairs a second | CPU of the client, µs a pair | five with holdfast against it |',
    '| --- | --- | --- | --- |',
    ...result.pairs.map(
      ({ name, perSecond, cpuUs, fiveAgainstIt }) =>
        `| ${name} | ${spread(perSecond, 0)} | ${spread(cpuUs, 0)} | ${fiveAgainstIt ? spread(fiveAgainstIt, 2) : ''} |`,
    ),
    '',
    '| the same, 1 ms away | pairs a second | five with holdfast against it |',
    '| --- | --- | --- |',
    ...result.apart.map(
      ({ name, perSecond, fiveAgainstIt }) =>
        `| ${name} | ${spread(perSecond, 0)} | ${fiveAgainstIt ? spread(fiveAgainstIt, 2) : ''} |`,
    ),
    '',
    '| holdfast/redlock, of five servers | p50 ms | p99 ms | longest, ms |',
    '| --- | --- | --- | --- |',
    ...result.outages.map(
      ({ servers, pairs, p50Ms, p99Ms, maxMs }) =>
        `| ${servers} (${pairs.toLocaleString('en')} pairs) | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)} | ${maxMs.toFixed(1)} |`,
    ),
  ].join('\n');
}

/** The median, with the smallest and the largest. */
function spread({ median, min, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`;
}
