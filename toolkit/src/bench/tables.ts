/**
 * The result as text: Markdown tables.
 *
 * @module
 */
import { section, spread } from './markdown.ts';
import type { BenchResult, HandOverResult, HeldResult, PairFigures, PairsResult, WaitingResult } from './result.ts';
import type { Spread } from './statistics.ts';

const NAMES: Readonly<Record<string, string>> = {
  acquire: 'Holdfast, `acquire`',
  tryAcquire: 'Holdfast, `tryAcquire`',
  raw: 'raw commands',
  'raw-auto-pipelining': 'raw commands, auto-pipelining',
  'core-acquire': 'memory backend, `acquire`',
  'core-tryAcquire': 'memory backend, `tryAcquire`',
  holdfast: 'Holdfast',
  'token-list': 'BLPOP',
};

export function describeResult(result: BenchResult): string {
  const parts = [aboutTheRun(result)];
  if (result.pairs.length > 0) parts.push(pairRatios(result.pairs), pairTable(result.pairs));
  if (result.core !== undefined) parts.push(coreTable(result.core));
  if (result.handOvers.length > 0) parts.push(handOverTimes(result.handOvers), handOverOrder(result.handOvers));
  if (result.waiting !== undefined) parts.push(waitingLine(result.waiting));
  if (result.held.length > 0) parts.push(heldTable(result.held), heldMemory(result.held));
  return parts.join('\n\n');
}

function aboutTheRun({ machine, startedAt, command, rounds }: BenchResult): string {
  return [
    `Measured on ${startedAt.slice(0, 10)} with`,
    '',
    '```',
    command,
    '```',
    '',
    `${rounds} rounds. ${machine.cpuModel}, ${machine.cpus} processors, ${machine.os} ${machine.arch}; Node ${machine.node}, ${machine.server}, ` +
      `ioredis ${machine.ioredis}, Holdfast ${machine.holdfast}. Load average ${machine.loadBefore.toFixed(1)} before and ` +
      `${machine.loadAfter.toFixed(1)} after. All servers and clients on this one machine, over loopback.`,
  ].join('\n');
}

function pairRatios(results: readonly PairsResult[]): string {
  return section(
    'Acquire and release: the ratio',
    ['names at once', 'ours', 'theirs', 'ratio', 'aim', 'reached'],
    results.flatMap(({ names, ratios }) =>
      ratios.map(({ ours, theirs, ratio, atLeast }) => [
        String(names),
        nameOf(ours),
        nameOf(theirs),
        spread(ratio, 2),
        atLeast === undefined ? '' : `≥ ${atLeast}`,
        atLeast === undefined ? '' : yesOrNo(ratio.median >= atLeast),
      ]),
    ),
  );
}

function pairTable(results: readonly PairsResult[]): string {
  return section(
    'Acquire and release: the figures behind it, each for one pair',
    [
      'names at once',
      '',
      'pairs/s',
      'p50 µs',
      'p99 µs',
      'client CPU µs',
      'server CPU µs',
      'requests',
      'server commands',
    ],
    results.flatMap(({ names, subjects }) =>
      Object.entries(subjects).map(([subject, figures]) => [String(names), nameOf(subject), ...pairCells(figures)]),
    ),
  );
}

function pairCells(figures: PairFigures): string[] {
  const { perSecond, p50Ms, p99Ms, clientCpuUs, serverCpuUs, requests, serverCommands } = figures;
  const us = (ms: Spread | undefined): string => (ms === undefined ? '' : (ms.median * 1000).toFixed(0));
  return [
    spread(perSecond, 0),
    us(p50Ms),
    us(p99Ms),
    spread(clientCpuUs, 1),
    spread(serverCpuUs, 1),
    requests.median.toFixed(2),
    serverCommands.median.toFixed(1),
  ];
}

function coreTable({ subjects }: PairsResult): string {
  return section(
    'The core by itself, without a server',
    ['', 'pairs/s', 'µs a pair'],
    Object.entries(subjects).map(([subject, { perSecond }]) => [
      nameOf(subject),
      spread(perSecond, 0),
      (1e6 / perSecond.median).toFixed(1),
    ]),
  );
}

function handOverTimes(results: readonly HandOverResult[]): string {
  return section(
    'Hand-over: from the start of a release to the next holder',
    [
      'waiters',
      'processes',
      'held',
      '',
      'p50 ms',
      'p95 ms',
      'max ms',
      'hand-overs/s',
      'ratio of p50',
      'aim',
      'reached',
    ],
    results.flatMap(({ subjects, ratio, atMost, ...layout }) =>
      Object.entries(subjects).map(([subject, figures]) => [
        ...layoutCells(layout),
        nameOf(subject),
        spread(figures.p50Ms, 3),
        spread(figures.p95Ms, 2),
        figures.maxMs.max.toFixed(1),
        figures.perSecond.median.toFixed(0),
        ...(subject === 'holdfast' ? [spread(ratio, 2), `≤ ${atMost}`, yesOrNo(ratio.median <= atMost)] : ['', '', '']),
      ]),
    ),
  );
}

function handOverOrder(results: readonly HandOverResult[]): string {
  return section(
    'Hand-over: what it costs the server, and who gets the lock',
    [
      'waiters',
      'processes',
      'held',
      '',
      'hand-overs',
      'requests each',
      'server commands each',
      'waits and heartbeats',
      'contenders overtaken',
      'callers overtaken in their process',
      'again to the same caller (fair)',
      'again to the same process (fair)',
    ],
    results.flatMap(({ subjects, waiters, processes, holdMs }) =>
      Object.entries(subjects).map(([subject, figures]) => [
        ...layoutCells({ waiters, processes, holdMs }),
        nameOf(subject),
        String(figures.handOvers),
        spread(figures.requests, 2),
        spread(figures.serverCommands, 1),
        subject === 'holdfast' ? String(figures.waits) : '',
        String(figures.inversionsOfContenders),
        String(figures.inversionsOfCallersInOneProcess),
        `${percent(figures.takenAgainByCaller.median)} (${percent(1 / waiters)})`,
        `${percent(figures.takenAgainByProcess.median)} (${percent(1 / processes)})`,
      ]),
    ),
  );
}

function waitingLine({ waiters, processes, forMs, requestsPerSecond }: WaitingResult): string {
  return (
    `While the lock is held and nothing happens, ${waiters} waiters in ${processes} processes send ` +
    `${requestsPerSecond.toFixed(1)} requests a second in all (over ${forMs / 1000} s, the holder's renewals among them).`
  );
}

function layoutCells({
  waiters,
  processes,
  holdMs,
}: Pick<HandOverResult, 'waiters' | 'processes' | 'holdMs'>): string[] {
  return [String(waiters), String(processes), `${holdMs} ms`];
}

function heldTable(results: readonly HeldResult[]): string {
  return section(
    'Held locks, over one renewal period',
    [
      '',
      'locks',
      'TTL',
      'acquired over',
      'calls/s',
      'renewals a call',
      'aim',
      'client CPU',
      'aim',
      'reached',
      'server CPU',
      'longest event loop delay',
    ],
    results.map((result) => [
      nameOf(result.subject),
      ...heldCells(result),
      result.callsPerSecond.toFixed(1),
      result.renewalsPerCall.toFixed(1),
      ...heldAims(result),
      `${result.serverCpuPercent.toFixed(1)} %`,
      `${result.longestDelayMs.toFixed(1)} ms`,
    ]),
  );
}

/** The aims beside what was reached; the raw commands have none. */
function heldAims({ subject, renewalsPerCall, clientCpuPercent, aims }: HeldResult): string[] {
  const cpu = `${clientCpuPercent.toFixed(1)} %`;
  if (subject !== 'holdfast') return ['', cpu, '', ''];
  const { renewalsPerCallAtLeast, clientCpuPercentBelow } = aims;
  const reached = renewalsPerCall >= renewalsPerCallAtLeast && clientCpuPercent < clientCpuPercentBelow;
  return [`≥ ${renewalsPerCallAtLeast}`, cpu, `< ${clientCpuPercentBelow} %`, yesOrNo(reached)];
}

function heldMemory(results: readonly HeldResult[]): string {
  return section(
    'Held locks: memory',
    [
      '',
      'locks',
      'TTL',
      'acquired over',
      'client heap a lock',
      'server a lock',
      'client heap before, held, after',
      'client RSS before, held, after',
    ],
    results.map((result) => {
      const { before, held, after } = result.client;
      const mb = (...bytes: number[]): string => `${bytes.map((one) => (one / 1e6).toFixed(0)).join(', ')} MB`;
      return [
        nameOf(result.subject),
        ...heldCells(result),
        `${result.clientHeapBytesPerLock.toFixed(0)} bytes`,
        `${result.serverBytesPerLock.toFixed(0)} bytes`,
        mb(before.heapBytes, held.heapBytes, after.heapBytes),
        mb(before.rssBytes, held.rssBytes, after.rssBytes),
      ];
    }),
  );
}

function heldCells({ locks, ttlMs, acquiredOverMs }: HeldResult): string[] {
  return [String(locks), `${ttlMs / 1000} s`, acquiredOverMs === 0 ? 'at once' : `${acquiredOverMs / 1000} s`];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function yesOrNo(reached: boolean): string {
  return reached ? 'yes' : '**no**';
}

function nameOf(subject: string): string {
  return NAMES[subject] ?? subject;
}
