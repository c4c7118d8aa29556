/**
 * The script of the report page: draws it from the data that stands in it, again when the language changes.
 *
 * @module
 */
import type { Language } from '../../messages/language.ts';
import { type Speech, speechIn, type TextKey } from '../../messages/speech.ts';
import type { PageData } from '../page-data.ts';
import { hashOf, toldByHash } from './advisor/asked.ts';
import { type Asked, advisorView } from './advisor/view.ts';
import { costsView } from './costs/view.ts';
import { h } from './dom.ts';
import { type ExperimentView, experimentView, type Opened } from './experiment.ts';
import { readLink } from './link.ts';
import { matrix } from './matrix.ts';
import { notRun } from './not-run.ts';
import { summary } from './summary.ts';

const data = JSON.parse(document.getElementById('data')?.textContent ?? '{}') as PageData;
const root = document.getElementById('page') as HTMLElement;
const opened = new Map<string, Opened>();
const asked: Asked = { told: {} };
let language: Language = data.language;
let views = new Map<string, ExperimentView>();

function draw(): void {
  const speech = speechIn(language);
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  document.title = `Holdfast · ${speech.text('title')}`;
  const ids = [
    ...new Set(data.results.filter(({ verdict }) => verdict !== 'not-run').map(({ experiment }) => experiment)),
  ];
  views = new Map(ids.map((id) => [id, experimentView(id, data, speech, openedOf(id))]));
  root.replaceChildren(
    summary(data, speech, switchLanguage),
    sections(speech),
    h(
      'main',
      {},
      matrix(data, speech),
      h(
        'section',
        { id: 'experiments', 'aria-labelledby': 'experiments-title' },
        h('h2', { id: 'experiments-title' }, speech.text('experiments')),
        ...[...views.values()].map(({ element }) => element),
      ),
      notRun(data.results, speech),
      costsView(data.bench, speech),
      advisorView(asked, data, speech),
    ),
    footer(speech),
  );
}

/** Where the parts of the page are: it is long. */
function sections(speech: Speech): HTMLElement {
  const parts: readonly (readonly [string, TextKey])[] = [
    ['matrix', 'matrix'],
    ['experiments', 'experiments'],
    ...(data.bench ? [['costs', 'costs'] as const] : []),
    ['advisor', 'advisor'],
  ];
  return h(
    'nav',
    { 'aria-label': speech.text('sections') },
    h(
      'ul',
      { class: 'places' },
      ...parts.map(([id, key]) => h('li', {}, h('a', { class: 'place', href: `#${id}` }, speech.text(key)))),
    ),
  );
}

function openedOf(id: string): Opened {
  const state = opened.get(id) ?? { isOpen: false, subject: '' };
  opened.set(id, state);
  return state;
}

function switchLanguage(): void {
  const { scrollY } = window;
  language = language === 'zh' ? 'en' : 'zh';
  draw();
  window.scrollTo(0, scrollY);
  document.getElementById('language')?.focus();
}

function footer(speech: Speech): HTMLElement {
  const { os, arch, cpus, node, toolkit, servers } = data.machine;
  const machine = speech.text('machine', { os, arch, cpus, node, toolkit, servers: servers.join(', ') });
  return h('footer', {}, h('p', {}, speech.text('limits')), h('p', {}, machine), h('p', {}, speech.text('madeBy')));
}

/** Opens what the address names, and brings it into view. */
function follow(): void {
  const told = toldByHash(location.hash);
  if (told) {
    if (Object.keys(told).length > 0) {
      asked.told = told;
      draw();
    } else {
      // A link to the advisor takes nothing back.
      history.replaceState(null, '', hashOf(asked.told));
    }
    document.getElementById('advisor')?.scrollIntoView({ block: 'start' });
    return;
  }
  const link = readLink(location.hash);
  const view = link && views.get(link.experiment);
  if (!link || !view) return;
  view.open(link.subject);
  view.element.scrollIntoView({ block: 'start' });
}

draw();
follow();
window.addEventListener('hashchange', follow);
// A second click on the same cell changes no address.
root.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
  if (link?.getAttribute('href') === location.hash) follow();
});
