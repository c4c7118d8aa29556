/**
 * One experiment: its question, the figures of all locks, and what happened with the one that is chosen.
 *
 * @module
 */

import { adviceKey } from '../../messages/advice-key.ts';
import type { Speech } from '../../messages/speech.ts';
import type { PageData, PageResult } from '../page-data.ts';
import { breakable, h } from './dom.ts';
import { figureTable } from './figures.ts';
import { resultPanel } from './result.ts';
import { badge, isSurprise } from './verdict.ts';

/** What the reader has opened; it outlives a change of the language. */
export interface Opened {
  isOpen: boolean;
  subject: string;
}

export interface ExperimentView {
  readonly element: HTMLElement;
  /** Opens it, at this lock if it has one of that name. */
  open(subject: string): void;
}

export function experimentView(id: string, data: PageData, speech: Speech, opened: Opened): ExperimentView {
  const results = data.results.filter(({ experiment, verdict }) => experiment === id && verdict !== 'not-run');
  const question = data.experiments.find((experiment) => experiment.id === id)?.question ?? '';
  const body = h('div', { class: 'body' });
  const details = h(
    'details',
    { class: 'experiment', id },
    h(
      'summary',
      {},
      h('h3', {}, breakable(id)),
      h('span', { class: 'question' }, speech.say(question)),
      h(
        'span',
        { class: 'chips' },
        ...results.map((result) =>
          h(
            'span',
            { class: 'chip' },
            badge(result.verdict, speech, { surprise: isSurprise(result), word: false }),
            ` ${result.subject}`,
          ),
        ),
      ),
    ),
    body,
  );
  if (!results.some(({ subject }) => subject === opened.subject)) opened.subject = worthSeeing(results)?.subject ?? '';

  const tabs = tabList(id, results, speech, choose);
  const panel = h('div', { class: 'panel', role: 'tabpanel', id: `panel-${id}`, tabindex: '-1' });
  let isFilled = false;
  function fill(): void {
    if (!isFilled) {
      const compared = results.filter(({ verdict }) => verdict !== 'unknown');
      body.append(
        h('p', { class: 'done' }, speech.advice(adviceKey(id, 'Done'))),
        compared.length > 1 ? figureTable(compared, speech, choose) : '',
        tabs.element,
        panel,
      );
      isFilled = true;
    }
    tabs.show(opened.subject);
    const result = results.find(({ subject }) => subject === opened.subject);
    panel.replaceChildren(...(result ? [resultPanel(result, speech)] : []));
    panel.setAttribute('aria-label', speech.text('happenedOf', { subject: opened.subject }));
  }
  function choose(subject: string): void {
    opened.subject = subject;
    fill();
  }
  details.addEventListener('toggle', () => {
    opened.isOpen = details.open;
    if (details.open && !isFilled) fill();
  });
  if (opened.isOpen) {
    details.open = true;
    fill();
  }
  return {
    element: details,
    open(subject) {
      if (results.some((result) => result.subject === subject)) opened.subject = subject;
      details.open = true;
      fill();
    },
  };
}

/** Where something went wrong there is most to be seen. */
function worthSeeing(results: readonly PageResult[]): PageResult | undefined {
  return results.find(isSurprise) ?? results.find(({ verdict }) => verdict === 'unsafe') ?? results[0];
}

interface Tabs {
  readonly element: HTMLElement;
  show(subject: string): void;
}

/** One tab for each lock; the arrow keys go from one to the next, as in any list of tabs. */
function tabList(id: string, results: readonly PageResult[], speech: Speech, choose: (subject: string) => void): Tabs {
  const tabs = results.map((result) => {
    const { subject, verdict } = result;
    const tab = h(
      'button',
      { type: 'button', role: 'tab', 'aria-controls': `panel-${id}`, 'data-subject': subject },
      badge(verdict, speech, { surprise: isSurprise(result), word: false }),
      ' ',
      breakable(subject),
    );
    tab.addEventListener('click', () => choose(subject));
    return tab;
  });
  const element = h('div', { class: 'tabs', role: 'tablist', 'aria-label': speech.text('happened') }, ...tabs);
  element.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    const at = tabs.indexOf(document.activeElement as HTMLButtonElement);
    const next = step === undefined ? undefined : tabs.at((at + step) % tabs.length);
    next?.focus();
    next?.click();
  });
  return {
    element,
    show(subject) {
      for (const tab of tabs) {
        const isChosen = tab.dataset.subject === subject;
        tab.setAttribute('aria-selected', String(isChosen));
        tab.tabIndex = isChosen ? 0 : -1;
      }
    },
  };
}
