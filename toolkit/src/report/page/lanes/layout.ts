/**
 * Where lanes stand, and which of their marks are seen: plain numbers, so that it is tested without a browser.
 *
 * @module
 */
import type { Lane, Mark } from '../../lane.ts';

export interface Row {
  readonly lane: Lane;
  readonly top: number;
  readonly height: number;
}

/** Room above all lanes for the names of the faults, in at most three lines. */
const HEAD_PX = 10;
export const LABEL_PX = 17;
const MOST_LABELS = 3;

export function labelLines(lanes: readonly Lane[]): number {
  const faults = lanes.reduce((sum, { marks }) => sum + marks.filter(([kind]) => kind === 'fault').length, 0);
  return Math.min(MOST_LABELS, faults);
}

export const AXIS_PX = 26;

const HEIGHTS = { holder: 44, register: 34, server: 28 } as const;

/** Many waiters stand close together. */
const NARROW_PX = 12;
const MANY = 8;

export function rowsOf(lanes: readonly Lane[]): readonly Row[] {
  const holders = lanes.filter(({ role }) => role === 'holder').length;
  let top = HEAD_PX + LABEL_PX * labelLines(lanes);
  return lanes.map((lane) => {
    const isNarrow = lane.role === 'holder' && holders > MANY && lane.id.startsWith('W');
    const height = isNarrow ? NARROW_PX : HEIGHTS[lane.role];
    const row = { lane, top, height };
    top += height;
    return row;
  });
}

export function heightOf(rows: readonly Row[]): number {
  const last = rows.at(-1);
  return (last ? last.top + last.height : HEAD_PX) + AXIS_PX;
}

/** The part of time that is shown, in milliseconds. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** No closer than this: nothing here was measured finer. */
const CLOSEST_MS = 2;

/** The same window a factor wider or narrower around a point, and within the whole. */
export function zoomed(window: Window, whole: Window, factor: number, around: number): Window {
  const width = Math.min(whole.to - whole.from, Math.max(CLOSEST_MS, (window.to - window.from) * factor));
  const share = (around - window.from) / (window.to - window.from);
  return within({ from: around - share * width, to: around - share * width + width }, whole);
}

export function moved(window: Window, whole: Window, byMs: number): Window {
  return within({ from: window.from + byMs, to: window.to + byMs }, whole);
}

/** Moved as little as possible so that a point is in its middle half. */
export function showing(window: Window, whole: Window, at: number): Window {
  const quarter = (window.to - window.from) / 4;
  if (at < window.from + quarter) return moved(window, whole, at - window.from - quarter);
  if (at > window.to - quarter) return moved(window, whole, at - window.to + quarter);
  return window;
}

function within({ from, to }: Window, whole: Window): Window {
  const width = to - from;
  if (from < whole.from) return { from: whole.from, to: Math.min(whole.to, whole.from + width) };
  if (to > whole.to) return { from: Math.max(whole.from, whole.to - width), to: whole.to };
  return { from, to };
}

/** The index of the first mark that is not before this time. */
export function firstFrom(marks: readonly Mark[], at: number): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.[1] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How wide a mark is drawn; a second one of its kind within that would not be told from the first. */
const THIN_PX = 1;
const WIDE_PX = 4;

/** What is damage, or changes the story, is drawn last and with a sign that is wider than a line. */
const IMPORTANT: ReadonlySet<Mark[0]> = new Set([
  'stale',
  'refused',
  'lost',
  'granted',
  'loses',
  'fault',
  'news',
  'fails',
]);

/**
 * The marks that are seen in a window so many pixels wide: of those of one kind that would cover each other only the
 * first, the important ones last. So a lane of ten thousand marks costs no more than its width.
 */
export function marksIn(marks: readonly Mark[], window: Window, widthPx: number): readonly Mark[] {
  const perPx = (window.to - window.from) / widthPx;
  const plain: Mark[] = [];
  const important: Mark[] = [];
  const seen: { kind: Mark[0]; by: string | undefined; isImportant: boolean; place: number }[] = [];
  for (let index = firstFrom(marks, window.from - 8 * perPx); index < marks.length; index++) {
    const mark = marks[index] as Mark;
    const [kind, at, by] = mark;
    if (at > window.to + 8 * perPx) break;
    // A handful: faster than a map.
    let last = seen.find((one) => one.kind === kind && one.by === by);
    if (!last) {
      last = { kind, by, isImportant: IMPORTANT.has(kind), place: Number.NEGATIVE_INFINITY };
      seen.push(last);
    }
    const place = Math.floor((at - window.from) / perPx / (last.isImportant ? WIDE_PX : THIN_PX));
    if (last.place === place) continue;
    last.place = place;
    (last.isImportant ? important : plain).push(mark);
  }
  return [...plain, ...important];
}

/** Round times for the axis, at least so many pixels apart. */
export function ticksIn({ from, to }: Window, widthPx: number, apartPx: number): readonly number[] {
  const least = ((to - from) / widthPx) * apartPx;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((n) => n * power).find((candidate) => candidate >= least) ?? least;
  const ticks: number[] = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step)
    ticks.push(Math.round(tick * 1000) / 1000 + 0);
  return ticks;
}
