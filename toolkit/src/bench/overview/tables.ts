/**
 * The document as Markdown, for a page: a table for each measure, and one for the locks of others.
 *
 * @module
 */
import { count } from '../../lab/format.ts';
import { section, spread } from '../markdown.ts';
import type { Spread } from '../statistics.ts';
import type {
  BackendFigures,
  BenchDocument,
  HandOverFigures,
  HeldFigures,
  MeasureId,
  PairFigures,
  SubjectFigures,
} from './document.ts';

export function describeDocument(document: BenchDocument): string {
  const { backends } = document;
  if (backends.length === 0) return failureLines(document) ?? '';
  const { names, waiters, waitingProcesses, heldLocks, heldRounds } = document.settings;
  const parts = [
    aboutTheRun(document),
    pairTable('Acquire and release, one at a time', backends, 'serial'),
    pairTable(`Acquire and release, ${names} names at once`, backends, 'concurrent'),
    handOverTable(`Hand-over, ${waiters} waiters in ${waitingProcesses} processes`, backends),
    heldTable(`${heldLocks.toLocaleString('en')} held locks, ${count(heldRounds, 'round')}`, backends),
    othersTable(backends),
    legend(backends),
    redisToEtcd(backends),
    failureLines(document),
  ];
  return parts.filter((part) => part !== undefined).join('\n\n');
}

export function aboutTheRun({ machine, startedAt, command, settings, tookMs }: BenchDocument): string {
  const { cpuModel, cpus, os, arch, node, holdfast, loadBefore, loadAfter } = machine;
  const rounds = settings.rounds === 1 ? '1 round' : `${settings.rounds} rounds, medians (least–most)`;
  return (
    `Measured on ${startedAt.slice(0, 10)} with \`${command}\` in ${Math.round(tookMs / 1_000)} s: ${rounds}. ` +
    `${cpuModel}, ${cpus} processors, ${os} ${arch}; Node ${node}, Holdfast ${holdfast}. ` +
    `Load average ${loadBefore.toFixed(1)} before and ${loadAfter.toFixed(1)} after. Servers and clients on this one machine, over loopback.`
  );
}

export const ours = ({ subjects }: BackendFigures): SubjectFigures | undefined =>
  subjects.find(({ id }) => id === 'holdfast');
export const raw = ({ subjects }: BackendFigures): SubjectFigures | undefined =>
  subjects.find(({ id }) => id === 'raw');

function pairTable(
  title: string,
  backends: readonly BackendFigures[],
  measure: 'serial' | 'concurrent',
): string | undefined {
  const cells = (figures: PairFigures | null | undefined): string[] =>
    figures ? [spread(figures.perSecond, 0), ms(figures.p50Ms), ms(figures.p99Ms)] : ['', '', ''];
  return table(
    title,
    ['backend', 'pairs/s', 'p50 ms', 'p99 ms', 'raw: pairs/s', 'p50 ms', 'p99 ms', 'ratio of the rates'],
    backends,
    measure,
    (backend) => {
      const theirs = raw(backend)?.[measure];
      return [...cells(ours(backend)?.[measure]), ...cells(theirs), ratio(theirs?.ratio)];
    },
  );
}

function handOverTable(title: string, backends: readonly BackendFigures[]): string | undefined {
  const cells = (figures: HandOverFigures | null | undefined): string[] =>
    figures ? [spread(figures.p50Ms, 2), figures.p99Ms.toFixed(1)] : ['', ''];
  return table(
    title,
    ['backend', 'p50 ms', 'p99 ms', 'raw: p50 ms', 'p99 ms', 'ratio of p50'],
    backends,
    'handOver',
    (backend) => {
      const theirs = raw(backend)?.handOver;
      return [...cells(ours(backend)?.handOver), ...cells(theirs), ratio(theirs?.ratio)];
    },
  );
}

/** Below it, what a ratio would say is how small the other is. */
const LEAST_CPU_PERCENT = 0.5;

function heldTable(title: string, backends: readonly BackendFigures[]): string | undefined {
  const cells = (figures: HeldFigures | null | undefined): string[] =>
    figures ? [spread(figures.takenPerSecond, 0), spread(figures.clientCpuPercent, 1)] : ['', ''];
  return table(
    title,
    ['backend', 'taken/s', 'client CPU %', 'raw: taken/s', 'client CPU %', 'ratio of taken/s', 'ratio of CPU'],
    backends,
    'held',
    (backend) => {
      const theirs = raw(backend)?.held;
      return [
        ...cells(ours(backend)?.held),
        ...cells(theirs),
        ratio(theirs?.takenRatio),
        theirs && theirs.clientCpuPercent.median < LEAST_CPU_PERCENT ? '' : ratio(theirs?.clientCpuRatio),
      ];
    },
  );
}

/** Undefined where nothing of it was measured. */
function table(
  title: string,
  columns: readonly string[],
  backends: readonly BackendFigures[],
  measure: MeasureId,
  cells: (backend: BackendFigures) => readonly string[],
): string | undefined {
  const measured = backends.filter((backend) => ours(backend)?.[measure] || raw(backend)?.[measure]);
  if (measured.length === 0) return undefined;
  return section(
    title,
    columns,
    measured.map((backend) => [backend.id, ...cells(backend)]),
  );
}

/** One row for each lock of somebody else, beside ours of the same rounds. */
function othersTable(backends: readonly BackendFigures[]): string | undefined {
  const rows = backends.flatMap((backend) =>
    backend.subjects
      .filter(({ id }) => id !== 'holdfast' && id !== 'raw')
      .map(({ id, serial, concurrent, handOver }) => [
        id,
        `Holdfast on ${backend.id}`,
        rate(serial),
        ratio(serial?.ratio),
        rate(concurrent),
        ratio(concurrent?.ratio),
        handOver ? spread(handOver.p50Ms, 2) : '',
        ratio(handOver?.ratio),
      ]),
  );
  if (rows.length === 0) return undefined;
  return section(
    'Locks of others',
    [
      'lock',
      'compared to',
      'serial pairs/s',
      'Holdfast to it',
      'pairs/s, many names',
      'Holdfast to it',
      'hand-over p50 ms',
      'Holdfast to it',
    ],
    rows,
  );
}

const rate = (figures: PairFigures | null): string => (figures ? spread(figures.perSecond, 0) : '');
export const ratio = (found: Spread | null | undefined): string => (found ? spread(found, 2) : '');
const ms = (found: Spread): string => spread(found, found.median < 10 ? 2 : 1);

export function legend(backends: readonly BackendFigures[]): string {
  return backends
    .map((backend) => {
      const { id, what, server } = backend;
      const how = raw(backend)?.how;
      return `- **${id}**: ${server === null ? '' : `${server}, `}${what}.${how === undefined ? '' : ` Raw: ${how}.`}`;
    })
    .join('\n');
}

/** The figure that is often asked for: how many times as fast as etcd Redis is, one lock after the other. */
export function redisToEtcd(backends: readonly BackendFigures[]): string | undefined {
  const rateOf = (id: string, of: typeof ours): number | undefined => {
    const found = backends.find((backend) => backend.id === id);
    return found && of(found)?.serial?.perSecond.median;
  };
  const times = (of: typeof ours): string | undefined => {
    const [redis, etcd] = [rateOf('redis', of), rateOf('etcd', of)];
    return redis === undefined || etcd === undefined ? undefined : (redis / etcd).toFixed(2);
  };
  const [withOurs, withRaw] = [times(ours), times(raw)];
  if (withOurs === undefined || withRaw === undefined) return undefined;
  return `One at a time, \`redis\` does ${withOurs} times the pairs of \`etcd\` with Holdfast, and ${withRaw} times with raw commands.`;
}

export function failureLines({ backends, notRun }: BenchDocument): string | undefined {
  const lines = backends.flatMap(({ id, subjects }) =>
    subjects.flatMap((subject) =>
      subject.failures.map(({ measure, reason }) => `- ${id}, ${subject.id}, ${measure}: failed. ${reason}`),
    ),
  );
  lines.push(...notRun.map(({ name, reason }) => `- ${name}: not run. ${reason}`));
  return lines.length === 0 ? undefined : lines.join('\n');
}
