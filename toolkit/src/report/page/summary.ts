/**
 * The head of the page: the question, and for whose locks the answer is what.
 *
 * @module
 */

import type { Speech } from '../../messages/speech.ts';
import type { PageData, PageResult } from '../page-data.ts';
import { h } from './dom.ts';
import { linkTo } from './link.ts';
import { isSurprise } from './verdict.ts';

const ORIGINS = ['yours', 'holdfast', 'by-hand'] as const;

export function summary(data: PageData, speech: Speech, onLanguage: () => void): HTMLElement {
  const ran = data.results.filter(({ verdict }) => verdict !== 'not-run');
  const date = new Date(data.startedAt).toLocaleString(speech.language === 'zh' ? 'zh-CN' : 'en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
  });
  const language = h(
    'button',
    { type: 'button', class: 'language', lang: speech.language === 'zh' ? 'en' : 'zh-CN', id: 'language' },
    speech.text('languageSwitch'),
  );
  language.setAttribute('aria-label', `${speech.text('languageSwitch')}: ${speech.text('languageSwitchLabel')}`);
  language.addEventListener('click', onLanguage);
  return h(
    'header',
    {},
    h('div', { class: 'top' }, h('p', { class: 'brand' }, 'Holdfast · ', speech.text('title')), language),
    h('h1', {}, speech.text('question')),
    h('p', { class: 'muted' }, speech.text('when', { date, n: ran.length })),
    h('ul', { class: 'answers' }, ...ORIGINS.flatMap((origin) => answer(origin, data, ran, speech))),
    surprises(ran, speech),
  );
}

/** One line for those of one origin: a square for each result, and how many are what. */
function answer(
  origin: (typeof ORIGINS)[number],
  { subjects }: PageData,
  ran: readonly PageResult[],
  speech: Speech,
): HTMLElement[] {
  const names = new Set(subjects.filter((subject) => subject.origin === origin).map(({ name }) => name));
  const theirs = ran.filter(({ subject }) => names.has(subject));
  if (theirs.length === 0) return [];
  const of = (verdict: PageResult['verdict']): readonly PageResult[] =>
    theirs.filter((result) => result.verdict === verdict);
  const [safe, unsafe, unknown] = [of('safe'), of('unsafe'), of('unknown')];
  const m = theirs.length;
  const parts = [
    safe.length > 0 && h('span', { class: 'safe' }, speech.text('safeOf', { n: safe.length, m })),
    unsafe.length > 0 && h('span', { class: 'unsafe' }, unsafeText(unsafe, theirs, speech)),
    unknown.length > 0 && h('span', { class: 'unknown' }, speech.text('unknownOf', { n: unknown.length })),
  ].filter((part) => part !== false);
  return [
    h(
      'li',
      {},
      h('span', { class: 'whose' }, speech.text(origin)),
      h('span', { class: 'counts' }, ...parts.flatMap((part, index) => (index === 0 ? [part] : [' · ', part]))),
      h(
        'span',
        { class: 'squares', 'aria-hidden': 'true' },
        ...[...safe, ...unsafe, ...unknown].map(({ verdict }) => h('i', { class: verdict })),
      ),
    ),
  ];
}

/** So many are named where it is not all of them that are unsafe. */
const NAMED = 3;

/** How many are unsafe, and which locks these are: else all of them would seem to be, now and then. */
function unsafeText(unsafe: readonly PageResult[], all: readonly PageResult[], speech: Speech): string {
  const locksOf = (results: readonly PageResult[]): string[] => [...new Set(results.map(({ subject }) => subject))];
  const which = locksOf(unsafe);
  const counts = { n: unsafe.length, m: all.length };
  if (which.length > NAMED || which.length === locksOf(all).length) return speech.text('unsafeOf', counts);
  return speech.text('unsafeOfThese', { ...counts, list: speech.list(which) });
}

function surprises(ran: readonly PageResult[], speech: Speech): HTMLElement {
  const list = (results: readonly PageResult[], key: 'notExpected' | 'noVerdict'): HTMLElement | false => {
    if (results.length === 0) return false;
    const [before = '', after = ''] = speech.text(key).split('{list}');
    const links = results.flatMap((result, index) => [
      index === 0 ? '' : speech.language === 'zh' ? '、' : ', ',
      h('a', { href: linkTo(result.experiment, result.subject) }, `${result.experiment} · ${result.subject}`),
    ]);
    return h('p', { class: key === 'notExpected' ? 'notice unsafe' : 'notice unknown' }, before, ...links, after);
  };
  const unexpected = ran.filter(isSurprise);
  const undecided = ran.filter(({ verdict }) => verdict === 'unknown');
  return h(
    'div',
    {},
    list(unexpected, 'notExpected'),
    list(undecided, 'noVerdict'),
    unexpected.length + undecided.length === 0 &&
      ran.length > 0 &&
      h('p', { class: 'muted' }, speech.text('allExpected')),
  );
}
