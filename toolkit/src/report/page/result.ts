/**
 * What happened to one lock in one experiment: in a sentence, drawn, second by second, judged, and what follows.
 *
 * @module
 */
import { moment } from '../../lab/format.ts';
import { isVoid } from '../../lab/result.ts';
import { meaningKey } from '../../messages/advice-key.ts';
import type { Speech } from '../../messages/speech.ts';
import type { PageResult } from '../page-data.ts';
import { h } from './dom.ts';
import { lanesView } from './lanes/view.ts';
import { badge, isSurprise } from './verdict.ts';

export function resultPanel(result: PageResult, speech: Speech): HTMLElement {
  const { subject, experiment, verdict, expected, lanes } = result;
  const expectation =
    verdict === 'unknown'
      ? ''
      : isSurprise(result)
        ? speech.text('butExpected', { verdict: speech.text(expected) })
        : speech.text('asExpected');
  const drawn = lanes && lanesView(lanes, { subject, experiment, speech });
  return h(
    'article',
    {},
    h('p', { class: 'verdict-line' }, badge(verdict, speech, { surprise: isSurprise(result) }), ` ${expectation}`),
    h('p', { class: 'headline' }, speech.say(result.headline)),
    drawn?.element ?? h('p', { class: 'muted' }, speech.text('noLanes')),
    h(
      'div',
      { class: 'columns' },
      h('section', {}, h('h4', {}, speech.text('secondBySecond')), timeline(result, speech, drawn?.showAt)),
      h('section', {}, ...meaning(result, speech), h('h4', {}, speech.text('checks')), checks(result, speech)),
    ),
  );
}

function timeline({ evidence }: PageResult, speech: Speech, showAt: ((atMs: number) => void) | undefined): HTMLElement {
  return h(
    'ol',
    { class: 'timeline' },
    ...evidence.map(({ atMs, by, says, tone }) => {
      const time = h('button', { type: 'button', class: 'plain time', disabled: showAt === undefined }, moment(atMs));
      time.addEventListener('click', () => showAt?.(atMs));
      return h(
        'li',
        { class: tone },
        time,
        h('b', { class: /^[AB]$/.test(by) ? `by-${by}` : '' }, by),
        h('span', {}, speech.say(says)),
      );
    }),
  );
}

function meaning(result: PageResult, speech: Speech): HTMLElement[] {
  const { verdict } = result;
  const title = h('h4', {}, speech.text('means'));
  if (verdict === 'unknown') return [title, h('p', {}, speech.advice('unknownMeans'))];
  if (verdict === 'safe') return [title, h('p', {}, speech.advice(meaningKey(result, 'Safe')))];
  return [
    title,
    h('p', {}, speech.advice(meaningKey(result, 'Unsafe'))),
    h('h4', {}, speech.text('whatToDo')),
    h('p', {}, speech.advice(meaningKey(result, 'Remedy'))),
  ];
}

/** What checkers say about a void run means nothing, so that only why it is void is shown. */
function checks(result: PageResult, speech: Speech): HTMLElement {
  const shown = isVoid(result) ? result.checks.filter(({ checker }) => checker === 'sanity') : result.checks;
  return h(
    'dl',
    { class: 'checks' },
    ...shown.flatMap(({ checker, verdict, evidence }) => {
      const own = `${checker}.${verdict}`;
      const word = speech.named(own);
      return [
        h(
          'dt',
          {},
          h('span', { class: `mark ${verdict}` }, word === own ? speech.text(verdict) : word),
          speech.named(checker),
        ),
        h('dd', {}, ...evidence.slice(0, 3).map((sentence) => h('p', {}, speech.say(sentence)))),
      ];
    }),
  );
}
