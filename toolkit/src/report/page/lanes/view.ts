/**
 * The lanes of one result on the page: a canvas that is zoomed and moved with mouse, fingers and keys, and says what is
 * under the pointer.
 *
 * @module
 */

import type { Speech, TextKey } from '../../../messages/speech.ts';
import type { Lane, Lanes, Mark } from '../../lane.ts';
import { h } from '../dom.ts';
import { describeMark, describeSpan } from './describe.ts';
import { draw, xOf } from './draw.ts';
import { firstFrom, heightOf, moved, type Row, rowsOf, showing, type Window, zoomed } from './layout.ts';
import { legend } from './legend.ts';
import { paletteOf } from './palette.ts';

interface Subtitle {
  readonly subject: string;
  readonly experiment: string;
  readonly speech: Speech;
}

export interface LanesView {
  readonly element: HTMLElement;
  /** Brings a moment into view and marks what happened then. */
  showAt(atMs: number): void;
}

interface Event {
  readonly row: Row;
  readonly mark: Mark;
}

const ZOOM_STEP = 0.6;

/** How near the pointer must be. */
const NEAR_PX = 9;

export function lanesView(lanes: Lanes, { subject, experiment, speech }: Subtitle): LanesView {
  const whole: Window = { from: lanes.from, to: lanes.to };
  const rows = rowsOf(lanes.lanes);
  const events: readonly Event[] = rows
    .flatMap((row) => row.lane.marks.map((mark) => ({ row, mark })))
    .sort((one, other) => one.mark[1] - other.mark[1]);
  const height = heightOf(rows);
  let shown = whole;
  let chosen: Event | undefined;
  let widthPx = 0;
  let gutterPx = 0;
  let isDue = false;

  const canvas = h('canvas', { 'aria-hidden': 'true' });
  canvas.style.height = `${height}px`;
  const tip = h('div', { class: 'tip', hidden: true });
  const said = h('p', { class: 'said', 'aria-live': 'polite' }, '\u00a0');
  const stage = h('div', {
    class: 'stage',
    tabindex: '0',
    role: 'application',
    'aria-label': speech.text('lanesLabel', { subject, experiment }),
  });
  stage.append(canvas, tip);

  function redraw(): void {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      paint();
    });
  }

  function paint(): void {
    widthPx = stage.clientWidth;
    if (widthPx === 0) return;
    gutterPx = widthPx < 560 ? 84 : 128;
    const ratio = window.devicePixelRatio || 1;
    const [width, high] = [Math.round(widthPx * ratio), Math.round(height * ratio)];
    if (canvas.width !== width || canvas.height !== high) {
      canvas.width = width;
      canvas.height = high;
    }
    const context = canvas.getContext('2d');
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw(context, { lanes, rows, window: shown, widthPx, gutterPx, palette: paletteOf(stage), speech, chosen });
    stage.dataset.from = String(shown.from);
    stage.dataset.to = String(shown.to);
  }

  function look(next: Window): void {
    shown = next;
    tip.hidden = true;
    redraw();
  }

  function zoom(factor: number, around: number = (shown.from + shown.to) / 2): void {
    look(zoomed(shown, whole, factor, around));
  }

  function choose(event: Event | undefined): void {
    if (!event) return;
    chosen = event;
    said.textContent = describeMark(event.row.lane, event.mark, speech);
    look(showing(shown, whole, event.mark[1]));
  }

  function step(by: 1 | -1): void {
    const at = chosen ? events.indexOf(chosen) + by : by === 1 ? 0 : events.length - 1;
    choose(events[Math.min(events.length - 1, Math.max(0, at))]);
  }

  const timeAt = (x: number): number =>
    shown.from + ((x - gutterPx) / Math.max(1, widthPx - gutterPx)) * (shown.to - shown.from);

  function nearest(x: number, y: number): Event | { row: Row; text: string } | undefined {
    const row = rows.find(({ top, height: rowHeight }) => y >= top && y < top + rowHeight);
    if (!row || x < gutterPx) return undefined;
    const mark = markNear(row.lane, timeAt(x), (shown.to - shown.from) / Math.max(1, widthPx - gutterPx));
    if (mark) return { row, mark };
    const at = timeAt(x);
    const span = row.lane.spans.findLast(([, from, to]) => from <= at && at <= to);
    return span && { row, text: describeSpan(row.lane, span, speech) };
  }

  stage.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const around = chosen?.mark[1] ?? (shown.from + shown.to) / 2;
    const acts: Readonly<Record<string, () => void>> = {
      ArrowRight: () => step(1),
      ArrowLeft: () => step(-1),
      Home: () => choose(events[0]),
      End: () => choose(events.at(-1)),
      '+': () => zoom(ZOOM_STEP, around),
      '=': () => zoom(ZOOM_STEP, around),
      '-': () => zoom(1 / ZOOM_STEP, around),
      '0': () => look(whole),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  stage.addEventListener(
    'wheel',
    (event) => {
      // Without a modifier the wheel scrolls the page, sideways it moves the lanes.
      if (event.ctrlKey || event.metaKey) zoom(Math.exp(event.deltaY * 0.004), timeAt(event.offsetX));
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        look(moved(shown, whole, (event.deltaX / (widthPx - gutterPx)) * (shown.to - shown.from)));
      } else return;
      event.preventDefault();
    },
    { passive: false },
  );
  stage.addEventListener('dblclick', (event) => zoom(ZOOM_STEP * ZOOM_STEP, timeAt(event.offsetX)));

  const pointers = new Map<number, number>();
  stage.addEventListener('pointerdown', (event) => {
    pointers.set(event.pointerId, event.offsetX);
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) {
      hover(event);
      return;
    }
    const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, x]) => x);
    const other = others[0];
    if (other === undefined) {
      const msPerPx = (shown.to - shown.from) / Math.max(1, widthPx - gutterPx);
      if (event.offsetX !== before) look(moved(shown, whole, (before - event.offsetX) * msPerPx));
    } else {
      const factor = Math.abs(before - other) / Math.max(1, Math.abs(event.offsetX - other));
      zoom(factor, timeAt((event.offsetX + other) / 2));
    }
    pointers.set(event.pointerId, event.offsetX);
  });
  for (const name of ['pointerup', 'pointercancel'] as const) {
    stage.addEventListener(name, (event) => pointers.delete(event.pointerId));
  }
  stage.addEventListener('click', (event) => {
    const found = nearest(event.offsetX, event.offsetY);
    if (found && 'mark' in found) choose(found);
  });
  stage.addEventListener('pointerleave', () => {
    tip.hidden = true;
  });

  function hover(event: PointerEvent): void {
    const found = nearest(event.offsetX, event.offsetY);
    tip.hidden = !found;
    if (!found) return;
    tip.textContent = 'mark' in found ? describeMark(found.row.lane, found.mark, speech) : found.text;
    const x = 'mark' in found ? xOf(found.mark[1], { window: shown, widthPx, gutterPx }) : event.offsetX;
    tip.style.left = `${Math.min(Math.max(4, x - 20), Math.max(4, widthPx - tip.offsetWidth - 4))}px`;
    tip.style.top = `${found.row.top + found.row.height + 4}px`;
  }

  new ResizeObserver(redraw).observe(stage);
  for (const query of ['(prefers-color-scheme: dark)', 'print']) {
    // Paper is drawn at once: there is no frame to wait for.
    matchMedia(query).addEventListener('change', paint);
  }

  const button = (key: TextKey, sign: string, act: () => void): HTMLElement => {
    const element = h('button', { type: 'button', 'aria-label': speech.text(key), title: speech.text(key) }, sign);
    element.addEventListener('click', act);
    return element;
  };
  const tools = h(
    'div',
    { class: 'tools' },
    button('previousEvent', '‹', () => step(-1)),
    button('nextEvent', '›', () => step(1)),
    button('zoomIn', '+', () => zoom(ZOOM_STEP, chosen?.mark[1])),
    button('zoomOut', '−', () => zoom(1 / ZOOM_STEP, chosen?.mark[1])),
    button('zoomAll', '↔', () => look(whole)),
  );
  const element = h(
    'figure',
    { class: 'lanes' },
    h('div', { class: 'above' }, said, tools),
    stage,
    h('figcaption', {}, legend(lanes, speech), h('p', { class: 'muted screen' }, speech.text('lanesHint'))),
  );
  return {
    element,
    showAt(atMs) {
      const nearby = events.reduce<Event | undefined>(
        (best, event) => (best && Math.abs(best.mark[1] - atMs) <= Math.abs(event.mark[1] - atMs) ? best : event),
        undefined,
      );
      if (shown.to - shown.from > (whole.to - whole.from) / 3) shown = zoomed(shown, whole, 0.3, atMs);
      choose(nearby);
      stage.scrollIntoView({ block: 'nearest' });
    },
  };
}

/** The mark of a lane that is nearest to a time, if it is near enough. */
function markNear({ marks }: Lane, at: number, msPerPx: number): Mark | undefined {
  const reach = NEAR_PX * msPerPx;
  let best: Mark | undefined;
  for (let index = firstFrom(marks, at - reach); index < marks.length; index++) {
    const mark = marks[index] as Mark;
    if (mark[1] > at + reach) break;
    if (!best || Math.abs(mark[1] - at) < Math.abs(best[1] - at)) best = mark;
  }
  return best;
}
