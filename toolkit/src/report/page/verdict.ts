import type { Speech } from '../../messages/speech.ts';
import type { PageResult } from '../page-data.ts';
import { h } from './dom.ts';

type Verdict = PageResult['verdict'];

/** A verdict is told by shape and word as well as by colour. */
const SIGNS: Readonly<Record<Verdict, string>> = { safe: '✓', unsafe: '✕', unknown: '?', 'not-run': '–' };

export function isSurprise({ verdict, expected }: PageResult): boolean {
  return (verdict === 'safe' || verdict === 'unsafe') && verdict !== expected;
}

export function badge(
  verdict: Verdict,
  speech: Speech,
  more: { surprise?: boolean; word?: boolean } = {},
): HTMLElement {
  const { surprise = false, word = true } = more;
  return h(
    'span',
    { class: `badge ${verdict}${surprise ? ' surprise' : ''}` },
    h('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[verdict]),
    word && h('span', { class: 'word' }, speech.text(verdict)),
    surprise && h('span', { class: 'sign', 'aria-hidden': 'true' }, '!'),
  );
}
