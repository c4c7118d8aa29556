/**
 * The figures of etcd and ZooKeeper as text: from data to lines, nothing else.
 *
 * @module
 */
import type { Circumstances } from '../publish.ts';
import type { Spread } from '../statistics.ts';
import type { CrowdFigures, HeldFigures, LineFigures, LossFigures, PairFigures, RecoveryFigures } from './measures.ts';

export interface SystemFigures {
  /** Its name and version. */
  readonly server: string;
  readonly pairs: readonly PairFigures[] | undefined;
  readonly lines: readonly (readonly LineFigures[])[] | undefined;
  readonly crowds: readonly CrowdFigures[] | undefined;
  readonly held: HeldFigures | undefined;
  readonly loss: LossFigures | undefined;
  readonly recovery: RecoveryFigures | undefined;
}

export interface ConsensusBenchResult extends Circumstances {
  readonly systems: readonly SystemFigures[];
}

/** Markdown. */
export function describeConsensus({ startedAt, command, rounds, machine, ...result }: ConsensusBenchResult): string {
  const load = `Load average ${result.loadBefore.toFixed(1)} before and ${result.loadAfter.toFixed(1)} after`;
  return [
    `Measured on ${startedAt.slice(0, 10)} with \`${command}\`: ${rounds} rounds. ${machine}. ${load}.`,
    ...result.systems.flatMap(systemLines),
  ].join('\n');
}

function systemLines({ server, pairs = [], lines, crowds, held, loss, recovery }: SystemFigures): string[] {
  return [
    '',
    `### ${server}`,
    ...pairs.flatMap(pairLines),
    ...(lines === undefined ? [] : lineLines(lines.flat())),
    ...(crowds === undefined ? [] : crowdLines(crowds)),
    '',
    ...(held === undefined ? [] : [heldLine(held)]),
    ...(loss === undefined
      ? []
      : [
          `- Server stopped, TTL ${loss.ttlMs} ms: the signal of the loss comes ${spread(loss.afterDeadlineMs, 1)} ms after the deadline (below zero: before it; ${loss.count} times).`,
        ]),
    ...(recovery === undefined
      ? []
      : [
          `- \`kill -9\` of the holder, TTL ${recovery.ttlMs} ms: free after ${spread(recovery.ttls, 2)} TTLs (${recovery.count} kills).`,
        ]),
  ];
}

function pairLines({ atOnce, perSecond, ratios, costs }: PairFigures): string[] {
  return [
    '',
    `| acquire and release, ${atOnce === 1 ? 'one at a time' : `${atOnce} at once`} | pairs a second | holdfast to it | calls | client CPU, ms | server CPU, ms |`,
    '| --- | --- | --- | --- | --- | --- |',
    ...Object.entries(perSecond).map(([id, rate]) => {
      const [ratio, cost] = [ratios[id], costs[id]];
      const cells = [
        ratio && spread(ratio, 2),
        cost && spread(cost.calls, 1),
        cost?.clientCpuMs && spread(cost.clientCpuMs, 2),
        cost && spread(cost.serverCpuMs, 2),
      ];
      return `| ${id} | ${spread(rate, 0)} | ${cells.map((cell) => cell ?? '').join(' | ')} |`;
    }),
  ];
}

function lineLines(lines: readonly LineFigures[]): string[] {
  const hasWatchMessages = lines.some(({ watchMessages }) => watchMessages.max > 0);
  return [
    '',
    `| hand-over | waiters | processes | p50 ms | to the lock service | calls |${hasWatchMessages ? ' watch messages |' : ''} server CPU, ms |`,
    `| --- | --- | --- | --- | --- | --- |${hasWatchMessages ? ' --- |' : ''} --- |`,
    ...lines.map(
      ({ id, waiters, processes, p50Ms, ratio, calls, watchMessages, serverCpuMs }) =>
        `| ${id} | ${waiters} | ${processes} | ${spread(p50Ms, 2)} | ${ratio ? spread(ratio, 2) : ''} | ${spread(calls, 1)} |${
          hasWatchMessages ? ` ${spread(watchMessages, 1)} |` : ''
        } ${spread(serverCpuMs, 2)} |`,
    ),
  ];
}

function crowdLines(crowds: readonly CrowdFigures[]): string[] {
  return [
    '',
    '| waiters of one process, nothing happens | calls a second | server CPU |',
    '| --- | --- | --- |',
    ...crowds.map(
      ({ waiters, callsPerSecond, serverCpuPercent }) =>
        `| ${count(waiters)} | ${callsPerSecond.toFixed(1)} | ${serverCpuPercent.toFixed(1)} % |`,
    ),
  ];
}

function heldLine({ locks, ttlMs, periods, renewalsPerPeriod, callsPerPeriod }: HeldFigures): string {
  const renewals = renewalsPerPeriod === undefined ? '' : `${renewalsPerPeriod.toFixed(1)} keep-alives, and `;
  return `- ${count(locks)} held locks of one TTL (${ttlMs} ms): ${renewals}${callsPerPeriod.toFixed(1)} calls in all, in a period of a third of it (${periods} periods).`;
}

/** The median, with the smallest and the largest. */
function spread({ median, min, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`;
}

function count(value: number): string {
  return value.toLocaleString('en');
}
