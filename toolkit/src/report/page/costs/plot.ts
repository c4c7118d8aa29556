/**
 * One figure of all backends as a picture: a line for each backend, with a filled dot for Holdfast, a ring for the bare
 * commands, and what lies between least and most. All places are in percent, so that it fits every width, and paper.
 *
 * @module
 */
import type { BackendFigures } from '../../../advise/bench-figures.ts';
import { count } from '../../../advise/format.ts';
import type { Spread } from '../../../bench/statistics.ts';
import type { Speech, TextKey } from '../../../messages/speech.ts';
import { h, svg } from '../dom.ts';
import { type Scale, scaleOf } from './scale.ts';

export interface Compared {
  readonly backend: BackendFigures;
  readonly ours: Spread;
  readonly raw: { readonly spread: Spread; readonly ratio: Spread | null } | undefined;
}

interface Figure {
  readonly title: string;
  readonly unit: 'rate' | 'time';
  readonly rows: readonly Compared[];
  readonly nameOf: (backend: BackendFigures) => string;
}

const HEIGHT = 26;
const MIDDLE = HEIGHT / 2;

export function plot({ title, unit, rows, nameOf }: Figure, speech: Speech): HTMLElement {
  const spreads = rows.flatMap(({ ours, raw }) => (raw ? [ours, raw.spread] : [ours]));
  const scale = scaleOf(spreads.flatMap(({ min, max }) => [min, max]));
  return h(
    'figure',
    { class: 'plot' },
    h(
      'figcaption',
      {},
      h('h3', {}, title),
      h('p', { class: 'muted' }, speech.text(unit === 'rate' ? 'moreIsBetter' : 'lessIsBetter')),
    ),
    h(
      'ul',
      {},
      ...rows.map((row) => line(row, { name: nameOf(row.backend), unit, scale, speech })),
      h('li', { class: 'axis', 'aria-hidden': 'true' }, h('span'), axis(scale, unit), h('span')),
    ),
  );
}

interface Look {
  readonly name: string;
  readonly unit: Figure['unit'];
  readonly scale: Scale;
  readonly speech: Speech;
}

function line({ ours, raw }: Compared, { name, unit, scale, speech }: Look): HTMLElement {
  const shown = valueText(ours.median, unit);
  const label = raw
    ? speech.text('plotLine', {
        name,
        ours: shown,
        raw: valueText(raw.spread.median, unit),
        ratio: ratioText(raw.ratio),
      })
    : speech.text('plotLineAlone', { name, ours: shown });
  const at = (value: number): string => `${scale.percent(value)}%`;
  const picture = svg(
    'svg',
    { height: HEIGHT, role: 'img', 'aria-label': label },
    svg('title', {}, label),
    ...scale.ticks.map((tick) => svg('line', { class: 'grid', x1: at(tick), x2: at(tick), y1: 0, y2: HEIGHT })),
    raw && svg('line', { class: 'between', x1: at(ours.median), x2: at(raw.spread.median), y1: MIDDLE, y2: MIDDLE }),
    raw &&
      svg('line', {
        class: 'extremes',
        x1: at(raw.spread.min),
        x2: at(raw.spread.max),
        y1: MIDDLE + 8,
        y2: MIDDLE + 8,
      }),
    svg('line', { class: 'extremes ours', x1: at(ours.min), x2: at(ours.max), y1: MIDDLE - 8, y2: MIDDLE - 8 }),
    raw && svg('circle', { class: 'raw', cx: at(raw.spread.median), cy: MIDDLE, r: 5.5 }),
    svg('circle', { class: 'ours', cx: at(ours.median), cy: MIDDLE, r: 6 }),
  );
  const ratio = raw?.ratio ?? undefined;
  const text: TextKey = unit === 'rate' ? 'ratioOfRate' : 'ratioOfTime';
  return h(
    'li',
    {},
    h('span', { class: 'name' }, name),
    picture,
    h(
      'span',
      { class: 'value', 'aria-hidden': 'true' },
      h('b', {}, shown),
      ratio && h('span', {}, ` · ${speech.text(text, { ratio: ratioText(ratio) })}`),
    ),
  );
}

function axis({ percent, ticks }: Scale, unit: Figure['unit']): SVGElement {
  return svg(
    'svg',
    { height: 18 },
    ...ticks.map((tick, index) =>
      svg(
        'text',
        { x: `${percent(tick)}%`, y: 13, 'text-anchor': anchorOf(index, ticks.length) },
        valueText(tick, unit),
      ),
    ),
  );
}

/** The outermost stay inside on a phone. */
function anchorOf(index: number, all: number): 'start' | 'middle' | 'end' {
  if (index === 0) return 'start';
  return index === all - 1 ? 'end' : 'middle';
}

export function valueText(value: number, unit: Figure['unit']): string {
  if (unit === 'rate') return `${count(value)}/s`;
  return `${value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(2)))} ms`;
}

export function ratioText(ratio: Spread | null): string {
  return ratio === null ? '–' : ratio.median.toFixed(2);
}
