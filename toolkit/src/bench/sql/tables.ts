/**
 * The figures of the databases as text: from data to lines, nothing else.
 *
 * @module
 */
import type { Circumstances } from '../publish.ts';
import type { Spread } from '../statistics.ts';
import {
  type HandOverFigures,
  type HeldFigures,
  PAIRS,
  type PairFigures,
  type RecoveryFigures,
  type WaitingFigures,
} from './measures.ts';

export interface DatabaseFigures {
  /** Its name and version. */
  readonly server: string;
  readonly pairs: PairFigures;
  /** What is not in the table of pairs, and how it gets there. */
  readonly leftOut?: string;
  readonly handOvers: readonly HandOverFigures[];
  readonly waiting: WaitingFigures;
  readonly held: HeldFigures;
  readonly recovery: RecoveryFigures;
}

export interface SqlBenchResult extends Circumstances {
  readonly databases: readonly DatabaseFigures[];
}

/** Markdown. */
export function describeSql({ startedAt, command, rounds, machine, ...result }: SqlBenchResult): string {
  const load = `Load average ${result.loadBefore.toFixed(1)} before and ${result.loadAfter.toFixed(1)} after`;
  return [
    `Measured on ${startedAt.slice(0, 10)} with \`${command}\`: ${rounds} rounds. ${machine}. ${load}.`,
    ...result.databases.flatMap(databaseLines),
  ].join('\n');
}

function databaseLines({ server, pairs, leftOut, handOvers, waiting, held, recovery }: DatabaseFigures): string[] {
  return [
    '',
    `### ${server}`,
    '',
    '| acquire and release, serial | pairs a second | against the bare statements |',
    '| --- | --- | --- |',
    ...PAIRS.map((id) => {
      const ratio = id === 'lease row' ? pairs.rowRatio : id === 'session lock' ? pairs.sessionRatio : undefined;
      return `| ${id} | ${spread(pairs.perSecond[id], 0)} | ${ratio ? spread(ratio, 2) : ''} |`;
    }),
    ...pairs.others.map(({ name, perSecond, ratio }) => `| ${name} | ${spread(perSecond, 0)} | ${spread(ratio, 2)} |`),
    ...(leftOut === undefined ? [] : ['', leftOut]),
    '',
    '| hand-over, waiters | p50 ms | statements | bare NOTIFY, ms | ratio |',
    '| --- | --- | --- | --- | --- |',
    ...handOvers.map(
      (figures) =>
        `| ${figures.waiters} | ${spread(figures.p50Ms, 2)} | ${spread(figures.statements, 1)} | ${
          figures.notifyMs ? spread(figures.notifyMs, 2) : 'none'
        } | ${figures.notifyRatio ? spread(figures.notifyRatio, 2) : ''} |`,
    ),
    '',
    `- ${count(waiting.waiters)} waiters of one process use at most ${waiting.connections} connections of its pool, and ${waiting.statementsPerSecond.toFixed(0)} statements a second.`,
    `- ${count(held.locks)} held locks are renewed by ${held.statementsPerPeriod.toFixed(1)} statements in a period (${held.periods} periods).`,
    `- A session lock whose holder is killed is free after ${spread(recovery.recoveryMs, 0)} ms (${recovery.kills} kills).`,
  ];
}

/** The median, with the smallest and the largest. */
function spread({ median, min, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`;
}

function count(value: number): string {
  return value.toLocaleString('en');
}
