/**
 * The document for a terminal: the same figures in tables that fit 80 columns. What has no room there, as the extremes of
 * everything that is no ratio, is in the Markdown and in the JSON.
 *
 * @module
 */
import { type Column, tableLines } from '../../cli/table.ts';
import { count } from '../../lab/format.ts';
import { type Paint, paragraph } from '../../lab/paint.ts';
import type { BackendFigures, BenchDocument, HandOverFigures, HeldFigures, PairFigures } from './document.ts';
import { aboutTheRun, failureLines, legend, ours, ratio, raw, redisToEtcd } from './tables.ts';

const left = (title: string): Column => ({ title });
const right = (title: string): Column => ({ title, align: 'right' });

export function documentLines(document: BenchDocument, width: number, paint: Paint): string[] {
  const { backends, settings } = document;
  const { names, waiters, waitingProcesses, heldLocks, heldRounds } = settings;
  const section = (title: string, columns: readonly Column[], rows: readonly (readonly string[])[]): string[] =>
    rows.length === 0 ? [] : [paint.bold(title), '', ...tableLines(columns, rows, width), ''];
  const text = (all: string | undefined): string[] =>
    all === undefined ? [] : [...all.split('\n').flatMap((one) => hanging(one, width)), ''];
  const pairs = (measure: 'serial' | 'concurrent'): string[][] =>
    backends.flatMap((backend) => {
      const [own, bare] = [ours(backend)?.[measure], raw(backend)?.[measure]];
      return own || bare ? [[backend.id, ...pairCells(own), ...pairCells(bare).slice(0, 2), ratio(bare?.ratio)]] : [];
    });
  const pairColumns = [
    left('backend'),
    ...['pairs/s', 'p50 ms', 'p99 ms', 'raw: pairs/s', 'p50 ms', 'ratio of the rates'].map(right),
  ];
  const lines = [
    ...(backends.length === 0 ? [] : text(aboutTheRun(document))),
    ...section('Acquire and release, one at a time', pairColumns, pairs('serial')),
    ...section(`Acquire and release, ${names} names at once`, pairColumns, pairs('concurrent')),
    ...section(
      `Hand-over, ${waiters} waiters in ${waitingProcesses} processes`,
      [left('backend'), ...['p50 ms', 'p99 ms', 'raw: p50 ms', 'p99 ms', 'ratio of p50'].map(right)],
      backends.flatMap((backend) => {
        const [own, bare] = [ours(backend)?.handOver, raw(backend)?.handOver];
        return own || bare ? [[backend.id, ...handOverCells(own), ...handOverCells(bare), ratio(bare?.ratio)]] : [];
      }),
    ),
    ...section(
      `${heldLocks.toLocaleString('en')} held locks, ${count(heldRounds, 'round')}`,
      [left('backend'), ...['taken/s', 'CPU %', 'raw: taken/s', 'CPU %', 'ratio of taken/s'].map(right)],
      backends.flatMap((backend) => {
        const [own, bare] = [ours(backend)?.held, raw(backend)?.held];
        return own || bare ? [[backend.id, ...heldCells(own), ...heldCells(bare), ratio(bare?.takenRatio)]] : [];
      }),
    ),
    ...section(
      'Locks of others, one at a time, and the ratio of Holdfast to them',
      [{ title: 'lock', atLeast: 12 }, left('on'), ...['pairs/s', 'ratio', 'hand-over ms'].map(right)],
      backends.flatMap((backend) => others(backend)),
    ),
    ...(backends.length === 0 ? [] : text(legend(backends))),
    ...text(redisToEtcd(backends)),
    ...text(failureLines(document)),
  ];
  return lines.slice(0, -1);
}

function pairCells(figures: PairFigures | null | undefined): string[] {
  if (!figures) return ['', '', ''];
  const { perSecond, p50Ms, p99Ms } = figures;
  return [perSecond.median.toFixed(0), ms(p50Ms.median), ms(p99Ms.median)];
}

function handOverCells(figures: HandOverFigures | null | undefined): string[] {
  return figures ? [ms(figures.p50Ms.median), ms(figures.p99Ms)] : ['', ''];
}

function heldCells(figures: HeldFigures | null | undefined): string[] {
  return figures ? [figures.takenPerSecond.median.toFixed(0), figures.clientCpuPercent.median.toFixed(1)] : ['', ''];
}

function others({ id: backend, subjects }: BackendFigures): string[][] {
  return subjects
    .filter(({ id }) => id !== 'holdfast' && id !== 'raw')
    .map(({ id, serial, handOver }) => [
      id,
      backend,
      pairCells(serial)[0] ?? '',
      ratio(serial?.ratio),
      handOver ? ms(handOver.p50Ms.median) : '',
    ]);
}

const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 1);

/** A paragraph, or a point of a list with its further lines below its text; without the signs of Markdown. */
function hanging(line: string, width: number): string[] {
  const [, dash = '', rest = ''] = /^(- )?(.*)$/.exec(line.replaceAll(/\*\*|`/g, '')) ?? [];
  return paragraph(rest, width, ' '.repeat(dash.length)).map((one, at) => (at === 0 ? dash + one.trimStart() : one));
}
