import type { Speech, TextKey } from '../../../messages/speech.ts';
import type { Lanes, MarkKind, SpanKind } from '../../lane.ts';
import { h } from '../dom.ts';

/** Only what is in this picture, each sign as it is drawn. */
export function legend(lanes: Lanes, speech: Speech): HTMLElement {
  const spans = new Set(lanes.lanes.flatMap((lane) => lane.spans.map(([kind]) => kind)));
  const marks = new Set(lanes.lanes.flatMap((lane) => lane.marks.map(([kind]) => kind)));
  const ofSpans: readonly (readonly [SpanKind, string, TextKey])[] = [
    ['believes', 'believes', 'believes'],
    ['waits', 'waits', 'waits'],
    ['stopped', 'hatched', 'stopped'],
    ['cut', 'hatched', 'cut'],
    ['hangs', 'hatched', 'hangs'],
    ['dead', 'hatched dead', 'dead'],
  ];
  const ofMarks: readonly (readonly [MarkKind, string, TextKey])[] = [
    ['asks', '╵', 'asks'],
    ['granted', '●', 'granted'],
    ['loses', '◇', 'loses'],
    ['write', '|', 'legendWrite'],
    ['stale', '▲', 'legendStale'],
    ['lost', '∘', 'legendLost'],
    ['refused', '⊘', 'legendRefused'],
    ['renewed', '╵', 'renewed'],
    ['expired', '▫', 'expired'],
    ['deleted', '▫', 'deleted'],
    ['fault', '⚑', 'legendFault'],
  ];
  const items = [
    ...ofSpans
      .filter(([kind]) => spans.has(kind))
      .map(([, look, key]) => [h('i', { class: `swatch ${look}` }), key] as const),
    ...(lanes.overlaps.length > 0 ? [[h('i', { class: 'swatch overlap' }), 'legendOverlap'] as const] : []),
    ...ofMarks
      .filter(([kind]) => marks.has(kind))
      .map(([kind, sign, key]) => [h('i', { class: `sign ${kind}` }, sign), key] as const),
  ];
  return h(
    'ul',
    { 'aria-label': speech.text('legend') },
    ...items.map(([sign, key]) => h('li', {}, sign, ' ', speech.text(key))),
  );
}
