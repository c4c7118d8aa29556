/**
 * The figures of one experiment, side by side: a lock a row, a figure a column, with bars that compare within a column.
 *
 * @module
 */
import { span } from '../../lab/format.ts';
import type { Speech } from '../../messages/speech.ts';
import type { PageResult } from '../page-data.ts';
import { breakable, h } from './dom.ts';
import { badge, isSurprise } from './verdict.ts';

type FigureName = keyof PageResult['figures'];

/** In the order in which they are read. */
const ORDER: readonly FigureName[] = [
  'recoveryMs',
  'handOverMs',
  'roundTripMs',
  'pairMs',
  'pairRoundTrips',
  'handOverRoundTrips',
  'electionMs',
  'withoutServiceMs',
  'lockKept',
  'lockRefused',
  'overlapMs',
  'falseBeliefMs',
  'marginMs',
  'grantsWhileHeld',
  'staleWritesAccepted',
  'lostUpdates',
  'staleWritesRefused',
  'staleWritesPastGuard',
  'tokensInOrder',
  'waiters',
  'inversions',
  'commandsPerHandover',
  'wakeUpsPerRelease',
  'tries',
];

/** Damage, which is red where it is more than none. */
const DAMAGE: ReadonlySet<FigureName> = new Set([
  'overlapMs',
  'grantsWhileHeld',
  'staleWritesAccepted',
  'lostUpdates',
  'staleWritesPastGuard',
  'inversions',
]);

export function figureTable(
  results: readonly PageResult[],
  speech: Speech,
  onChoose: (subject: string) => void,
): HTMLElement {
  const measured = new Set(results.flatMap(({ figures }) => Object.keys(figures) as FigureName[]));
  const names = [...new Set([...ORDER, ...measured])].filter((name) => measured.has(name));
  const most = (name: FigureName): number => Math.max(...results.map(({ figures }) => Number(figures[name] ?? 0)));
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': speech.text('compare') },
    h(
      'table',
      { class: 'figures' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col' }, speech.text('subject')),
          ...names.map((name) => h('th', { scope: 'col' }, speech.named(name))),
        ),
      ),
      h(
        'tbody',
        {},
        ...results.map((result) => {
          const choose = h('button', { type: 'button', class: 'plain' }, breakable(result.subject));
          choose.addEventListener('click', () => onChoose(result.subject));
          return h(
            'tr',
            {},
            h(
              'th',
              { scope: 'row' },
              badge(result.verdict, speech, { surprise: isSurprise(result), word: false }),
              ' ',
              choose,
            ),
            ...names.map((name) => figure(name, result, most(name), speech)),
          );
        }),
      ),
    ),
  );
}

function figure(name: FigureName, { figures, verdict }: PageResult, most: number, speech: Speech): HTMLElement {
  const value = figures[name];
  if (value === undefined) return h('td', { class: 'none' }, '–');
  if (typeof value === 'boolean') {
    return h('td', { class: value || verdict !== 'unsafe' ? '' : 'bad' }, speech.text(value ? 'yes' : 'no'));
  }
  const bar = h('span', { class: 'bar', 'aria-hidden': 'true' });
  bar.style.width = `${most === 0 ? 0 : (value / most) * 100}%`;
  // Where the lock is safe all the same, something else has saved the data.
  const isBad = DAMAGE.has(name) && value > 0 && verdict === 'unsafe';
  return h('td', { class: isBad ? 'bad' : '' }, h('span', {}, name.endsWith('Ms') ? span(value) : String(value)), bar);
}
