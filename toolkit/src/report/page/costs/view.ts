/**
 * What locks cost on this machine, as a benchmark has measured it: rates and hand-over of all backends, beside the bare
 * commands of their servers; and the same as a table.
 *
 * @module
 */

import type { BackendFigures, BenchFigures, SubjectFigures } from '../../../advise/bench-figures.ts';
import { aboutTheBench } from '../../../advise/measured.ts';
import { comparedText } from '../../../advise/wording.ts';
import type { Spread } from '../../../bench/statistics.ts';
import { type Say, sayIn } from '../../../messages/say.ts';
import type { Speech } from '../../../messages/speech.ts';
import { h } from '../dom.ts';
import { type Compared, plot, ratioText, valueText } from './plot.ts';

type Measure = 'serial' | 'concurrent' | 'handOver';

const MEASURES: readonly Measure[] = ['serial', 'concurrent', 'handOver'];

export function costsView(bench: BenchFigures | undefined, speech: Speech): HTMLElement | string {
  if (bench === undefined) return '';
  const say = sayIn(speech.language);
  const { names, waiters, waitingProcesses } = bench.settings;
  const titles = {
    serial: speech.text('serialTitle'),
    concurrent: speech.text('concurrentTitle', { n: names }),
    handOver: speech.text('handOverTitle', { n: waiters, m: waitingProcesses }),
  };
  const nameOf = ({ id, what }: BackendFigures): string => `${id} · ${say(what)}`;
  const plots = MEASURES.flatMap((measure) => {
    const rows = bench.backends.flatMap((backend) => compared(backend, measure));
    if (rows.length === 0) return [];
    return [plot({ title: titles[measure], unit: measure === 'handOver' ? 'time' : 'rate', rows, nameOf }, speech)];
  });
  return h(
    'section',
    { id: 'costs', 'aria-labelledby': 'costs-title' },
    h('h2', { id: 'costs-title' }, speech.text('costs')),
    h('p', { class: 'muted' }, aboutTheBench(bench, say).replaceAll('`', ''), busy(bench, speech)),
    h(
      'p',
      { class: 'legend' },
      h('span', {}, h('i', { class: 'dot ours', 'aria-hidden': 'true' }), ' Holdfast'),
      h('span', {}, h('i', { class: 'dot raw', 'aria-hidden': 'true' }), ` ${speech.text('plotRaw')}`),
      h('span', {}, h('i', { class: 'dot extremes', 'aria-hidden': 'true' }), ` ${speech.text('plotExtremes')}`),
    ),
    h('div', { class: 'card plots' }, ...plots),
    h('details', { class: 'card' }, h('summary', {}, speech.text('asTable')), table(bench, say, speech)),
  );
}

/** Others were at work at the same time. */
function busy({ machine }: BenchFigures, speech: Speech): string {
  const load = Math.max(machine.loadBefore, machine.loadAfter);
  return load > machine.cpus ? ` ${speech.text('busyMachine', { load: load.toFixed(1) })}` : '';
}

function compared(backend: BackendFigures, measure: Measure): Compared[] {
  const ours = spreadOf(subjectOf(backend, 'holdfast'), measure);
  if (ours === undefined) return [];
  const theirs = subjectOf(backend, 'raw');
  const spread = spreadOf(theirs, measure);
  return [{ backend, ours, raw: spread && { spread, ratio: theirs?.[measure]?.ratio ?? null } }];
}

function subjectOf({ subjects }: BackendFigures, id: string): SubjectFigures | undefined {
  return subjects.find((subject) => subject.id === id);
}

function spreadOf(subject: SubjectFigures | undefined, measure: Measure): Spread | undefined {
  if (measure === 'handOver') return subject?.handOver?.p50Ms;
  return subject?.[measure]?.perSecond;
}

function table({ backends }: BenchFigures, say: Say, speech: Speech): HTMLElement {
  const cells = (subject: SubjectFigures, measure: Measure): HTMLElement[] => {
    const spread = spreadOf(subject, measure);
    if (spread === undefined) return [h('td', { class: 'none' }, '–'), h('td', { class: 'none' }, '–')];
    const unit = measure === 'handOver' ? 'time' : 'rate';
    const latency = measure === 'serial' ? subject.serial : null;
    const quantiles = [
      latency?.p50Ms && `p50 ${latency.p50Ms.median.toFixed(2)} ms`,
      latency?.p99Ms && `p99 ${latency.p99Ms.median.toFixed(2)} ms`,
    ].filter((text) => text !== undefined);
    return [
      h(
        'td',
        {},
        valueText(spread.median, unit),
        h('div', { class: 'muted' }, `${valueText(spread.min, unit)} – ${valueText(spread.max, unit)}`),
        quantiles.length > 0 && h('div', { class: 'muted' }, quantiles.join(', ')),
      ),
      h('td', {}, ratioText(subject[measure]?.ratio ?? null)),
    ];
  };
  const heads = MEASURES.flatMap((measure) => [
    h('th', { scope: 'col' }, speech.text(measure)),
    h('th', { scope: 'col' }, speech.text('ratio')),
  ]);
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': speech.text('asTable') },
    h(
      'table',
      { class: 'figures costs' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, speech.text('subject')), ...heads)),
      h(
        'tbody',
        {},
        ...backends.flatMap(({ id, what, server, subjects }) =>
          subjects.map((subject) =>
            h(
              'tr',
              {},
              h(
                'th',
                { scope: 'row' },
                `${id} · ${subject.id}`,
                h(
                  'div',
                  { class: 'muted' },
                  subject.id === 'holdfast'
                    ? [server, say(what)].filter(Boolean).join(', ')
                    : comparedText(subject.how, say),
                ),
              ),
              ...MEASURES.flatMap((measure) => cells(subject, measure)),
            ),
          ),
        ),
      ),
    ),
  );
}
