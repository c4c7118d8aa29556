/**
 * Draws lanes on a canvas. What is drawn depends on the shape and not on the colour alone: damage is a filled triangle, a
 * refused write a crossed ring, a time in which a process stands still is hatched.
 *
 * @module
 */
import { moment, span } from '../../../lab/format.ts';
import type { Speech } from '../../../messages/speech.ts';
import type { Lanes, Mark, Span } from '../../lane.ts';
import { AXIS_PX, heightOf, LABEL_PX, labelLines, marksIn, type Row, ticksIn, type Window } from './layout.ts';
import { colorOf, type Palette } from './palette.ts';

export interface Drawing {
  readonly lanes: Lanes;
  readonly rows: readonly Row[];
  readonly window: Window;
  readonly widthPx: number;
  /** What the names of the lanes take on the left. */
  readonly gutterPx: number;
  readonly palette: Palette;
  readonly speech: Speech;
  /** The event that is chosen, if one is. */
  readonly chosen: { readonly row: Row; readonly mark: Mark } | undefined;
}

type Context = CanvasRenderingContext2D;

const FONT = '12px system-ui, -apple-system, "Segoe UI", "Noto Sans CJK SC", "WenQuanYi Micro Hei", sans-serif';

export function draw(context: Context, drawing: Drawing): void {
  const { rows, widthPx, gutterPx, palette } = drawing;
  const height = heightOf(rows);
  context.clearRect(0, 0, widthPx, height);
  context.font = FONT;
  context.textBaseline = 'middle';

  for (const [index, { top, height: rowHeight }] of rows.entries()) {
    if (index % 2 === 1) continue;
    context.fillStyle = palette.idle;
    context.globalAlpha = 0.35;
    context.fillRect(0, top, widthPx, rowHeight);
    context.globalAlpha = 1;
  }
  drawAxis(context, drawing, height);
  context.save();
  context.beginPath();
  context.rect(gutterPx, 0, widthPx - gutterPx, height);
  context.clip();
  drawOverlaps(context, drawing);
  for (const row of rows) for (const one of row.lane.spans) drawSpan(context, drawing, row, one);
  drawFaults(context, drawing, height);
  for (const row of rows) {
    for (const mark of marksIn(row.lane.marks, drawing.window, widthPx - gutterPx)) {
      if (mark[0] !== 'fault') drawMark(context, drawing, row, mark);
    }
  }
  drawChosen(context, drawing);
  context.restore();
  drawNames(context, drawing);
}

/** Where a time stands. */
export function xOf(
  at: number,
  { window, widthPx, gutterPx }: Pick<Drawing, 'window' | 'widthPx' | 'gutterPx'>,
): number {
  return gutterPx + ((at - window.from) / (window.to - window.from)) * (widthPx - gutterPx);
}

function drawAxis(context: Context, drawing: Drawing, height: number): void {
  const { window, widthPx, gutterPx, palette } = drawing;
  context.strokeStyle = palette.line;
  context.fillStyle = palette.muted;
  context.lineWidth = 1;
  context.textAlign = 'center';
  for (const tick of ticksIn(window, widthPx - gutterPx, widthPx < 560 ? 62 : 90)) {
    const x = Math.round(xOf(tick, drawing)) + 0.5;
    if (x < gutterPx) continue;
    line(context, x, drawing.rows[0]?.top ?? 0, x, height - AXIS_PX + 4);
    const digits = window.to - window.from < 200 ? 3 : 2;
    const text =
      digits === 2 ? moment(tick).replace('T', '') : `${tick < 0 ? '-' : '+'}${(Math.abs(tick) / 1000).toFixed(3)}s`;
    if (x - 24 > gutterPx && x + 24 < widthPx) context.fillText(text, x, height - AXIS_PX / 2 + 2);
  }
}

function drawNames(context: Context, { rows, gutterPx, palette, speech }: Drawing): void {
  context.textAlign = 'left';
  context.fillStyle = palette.muted;
  const head = rows[0]?.top ?? 0;
  if (head > 20) context.fillText(speech.text('faults'), 8, head / 2, gutterPx - 12);
  for (const { lane, top, height } of rows) {
    const y = top + height / 2;
    if (height < 20) continue;
    if (lane.role !== 'holder') {
      context.fillStyle = palette.text;
      context.fillText(speech.named(lane.id), 8, y, gutterPx - 12);
      continue;
    }
    context.fillStyle = colorOf(lane.id, palette);
    context.font = `bold ${FONT}`;
    context.fillText(lane.id, 8, y);
    const width = context.measureText(lane.id).width;
    context.font = FONT;
    context.fillStyle = palette.muted;
    const role = lane.id === 'A' ? 'holder' : lane.id === 'B' ? 'rival' : 'waiter';
    context.fillText(speech.text(role), 8 + width + 6, y, gutterPx - width - 20);
  }
}

/** A red field over the lanes of both, with how long it lasted. */
function drawOverlaps(context: Context, drawing: Drawing): void {
  const { lanes, rows, palette, speech } = drawing;
  for (const { older, newer, from, to } of lanes.overlaps) {
    const concerned = rows.filter(({ lane }) => lane.id === older || lane.id === newer);
    const top = Math.min(...concerned.map((row) => row.top));
    const bottom = Math.max(...concerned.map((row) => row.top + row.height));
    const [x, width] = [xOf(from, drawing), Math.max(2, xOf(to, drawing) - xOf(from, drawing))];
    context.fillStyle = palette['danger-soft'];
    context.fillRect(x, top, width, bottom - top);
    context.strokeStyle = palette.danger;
    context.lineWidth = 1.5;
    context.strokeRect(x, top + 0.75, width, bottom - top - 1.5);
    const text = speech.text('bothBelieve', { span: span(to - from) });
    context.font = `bold ${FONT}`;
    const textWidth = context.measureText(text).width;
    if (textWidth + 8 < width) {
      context.fillStyle = palette.danger;
      context.textAlign = 'left';
      // Between the two lanes, where no bar is.
      context.fillText(text, Math.max(x, drawing.gutterPx) + 5, (top + bottom) / 2);
    }
    context.font = FONT;
  }
}

function drawSpan(context: Context, drawing: Drawing, { lane, top, height }: Row, [kind, from, to]: Span): void {
  const { palette, speech, widthPx, gutterPx } = drawing;
  const [x1, x2] = [Math.max(gutterPx, xOf(from, drawing)), Math.min(widthPx, xOf(to, drawing))];
  if (x2 < x1) return;
  const width = Math.max(1, x2 - x1);
  const bar = height < 20 ? height - 4 : lane.role === 'holder' ? 16 : 10;
  const y = top + (height - bar) / 2;
  if (kind === 'waits') {
    context.strokeStyle = colorOf(lane.id, palette);
    context.lineWidth = 2;
    context.setLineDash([2, 4]);
    line(context, x1, top + height / 2, x2, top + height / 2);
    context.setLineDash([]);
    return;
  }
  if (kind === 'believes') {
    context.fillStyle = colorOf(lane.id, palette);
    context.fillRect(x1, y, width, bar);
    const text = speech.text('believes');
    if (bar >= 16 && context.measureText(text).width + 20 < width) {
      context.fillStyle = palette.card;
      context.textAlign = 'left';
      context.fillText(text, x1 + 11, top + height / 2 + 0.5);
    }
    return;
  }
  if (kind === 'doubts') {
    context.strokeStyle = colorOf(lane.id, palette);
    context.lineWidth = 1.5;
    context.strokeRect(x1, y + 0.75, width, bar - 1.5);
    return;
  }
  // Stopped, cut off, hanging, dead: hatched over what is there.
  const hatched = kind === 'dead' ? palette.muted : palette.fault;
  const [hatchTop, hatchHeight] = [top + 2, height - 4];
  context.save();
  context.beginPath();
  context.rect(x1, hatchTop, width, hatchHeight);
  context.clip();
  context.strokeStyle = hatched;
  context.globalAlpha = kind === 'dead' ? 0.35 : 0.75;
  context.lineWidth = 1.25;
  for (let x = x1 - hatchHeight - (x1 % 7); x < x2; x += 7)
    line(context, x, hatchTop + hatchHeight, x + hatchHeight, hatchTop);
  context.restore();
  const text = speech.named(kind);
  if (height >= 20 && context.measureText(text).width + 16 < width) {
    const textWidth = context.measureText(text).width;
    context.fillStyle = palette.card;
    context.fillRect(x2 - textWidth - 12, top + height / 2 - 9, textWidth + 8, 18);
    context.fillStyle = hatched;
    context.textAlign = 'left';
    context.fillText(text, x2 - textWidth - 8, top + height / 2 + 0.5);
  }
}

/** A line through all lanes at each fault, and in the head what it was. */
function drawFaults(context: Context, drawing: Drawing, height: number): void {
  const { rows, palette, speech, widthPx, gutterPx } = drawing;
  const faults = rows
    .flatMap((row) => row.lane.marks.filter(([kind]) => kind === 'fault').map((mark) => ({ row, mark })))
    .sort((one, other) => one.mark[1] - other.mark[1]);
  /** Up to where each line of the head is taken. */
  const taken = Array.from({ length: labelLines(drawing.lanes.lanes) }, () => gutterPx);
  for (const { row, mark } of faults) {
    const x = Math.round(xOf(mark[1], drawing)) + 0.5;
    if (x < gutterPx || x > widthPx) continue;
    const text = `${speech.named(row.lane.id)} ${speech.named(mark[2] ?? '')}`;
    const width = context.measureText(text).width;
    // At the right edge the name stands before its flag.
    const left = x + 12 + width < widthPx ? x + 12 : x - width - 4;
    const free = taken.findIndex((until) => until <= Math.min(x, left));
    const level = free === -1 ? 0 : free;
    const y = 4 + level * LABEL_PX;
    context.strokeStyle = context.fillStyle = palette.fault;
    context.lineWidth = 1;
    context.setLineDash([4, 3]);
    line(context, x, y + 4, x, height - AXIS_PX);
    context.setLineDash([]);
    flag(context, x, y + 2);
    if (free === -1) continue;
    context.textAlign = 'left';
    context.fillText(text, left, y + 7);
    taken[level] = Math.max(x + 10, left + width + 8);
  }
}

function drawMark(context: Context, drawing: Drawing, { lane, top, height }: Row, mark: Mark): void {
  const { palette } = drawing;
  const [kind, at, by] = mark;
  const x = xOf(at, drawing);
  const y = top + height / 2;
  const color = colorOf(lane.role === 'holder' ? lane.id : by, palette);
  context.fillStyle = context.strokeStyle = color;
  context.lineWidth = 2;
  switch (kind) {
    case 'asks':
      context.fillRect(x - 0.5, y - 5, 1, 10);
      break;
    case 'fails':
      context.strokeStyle = palette.fault;
      line(context, x, y - 7, x, y + 7);
      break;
    case 'granted':
      disc(context, x, y, height < 20 ? 3 : 6);
      context.strokeStyle = palette.card;
      context.lineWidth = 1.5;
      context.stroke();
      break;
    case 'loses':
      context.fillStyle = palette.card;
      diamond(context, x, y, 7);
      context.fill();
      context.stroke();
      break;
    case 'releases':
      line(context, x, y - Math.min(10, height / 2 - 1), x, y + Math.min(10, height / 2 - 1));
      break;
    case 'write':
      context.fillRect(x - 0.75, y - 6, 1.5, 12);
      break;
    case 'lost':
      context.fillRect(x - 0.75, y - 6, 1.5, 12);
      context.lineWidth = 1.5;
      context.strokeStyle = palette.danger;
      ring(context, x, y + 10, 2.5);
      break;
    case 'stale':
      context.fillStyle = palette.danger;
      triangle(context, x, y - 1, 8);
      break;
    case 'refused':
      context.strokeStyle = palette.danger;
      context.lineWidth = 1.75;
      ring(context, x, y, 6);
      line(context, x - 4, y + 4, x + 4, y - 4);
      break;
    case 'renewed':
      context.fillStyle = palette.muted;
      context.fillRect(x - 0.75, y - 5, 1.5, 10);
      break;
    case 'expired':
    case 'deleted':
      context.fillStyle = palette.card;
      context.strokeStyle = palette.text;
      context.lineWidth = 1.5;
      context.fillRect(x - 4.5, y - 4.5, 9, 9);
      context.strokeRect(x - 4.5, y - 4.5, 9, 9);
      break;
    case 'news':
      context.fillStyle = palette.text;
      disc(context, x, y, 4);
      break;
    case 'fault':
      break;
  }
}

function drawChosen(context: Context, drawing: Drawing): void {
  const { chosen, palette, rows } = drawing;
  if (!chosen) return;
  const x = xOf(chosen.mark[1], drawing);
  context.strokeStyle = palette.text;
  context.lineWidth = 1;
  line(context, x, rows[0]?.top ?? 0, x, heightOf(rows) - AXIS_PX);
  context.lineWidth = 2;
  context.strokeRect(x - 10, chosen.row.top + 2, 20, chosen.row.height - 4);
}

function line(context: Context, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

function disc(context: Context, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

function ring(context: Context, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
}

function diamond(context: Context, x: number, y: number, radius: number): void {
  context.beginPath();
  context.moveTo(x, y - radius);
  context.lineTo(x + radius, y);
  context.lineTo(x, y + radius);
  context.lineTo(x - radius, y);
  context.closePath();
}

function triangle(context: Context, x: number, y: number, radius: number): void {
  context.beginPath();
  context.moveTo(x, y - radius);
  context.lineTo(x + radius * 0.85, y + radius * 0.75);
  context.lineTo(x - radius * 0.85, y + radius * 0.75);
  context.closePath();
  context.fill();
}

function flag(context: Context, x: number, y: number): void {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + 9, y + 4);
  context.lineTo(x, y + 8);
  context.closePath();
  context.fill();
}
