/**
 * The verdicts: one small table for the locks of each kind of server, an experiment a row, a lock a column.
 *
 * @module
 */

import type { Speech, TextKey } from '../../messages/speech.ts';
import type { PageData, PageResult } from '../page-data.ts';
import { breakable, h } from './dom.ts';
import { linkTo } from './link.ts';
import { badge, isSurprise } from './verdict.ts';

const NAMES: Readonly<Record<string, string>> = {
  redis: 'Redis',
  redlock: 'Redlock',
  etcd: 'etcd',
  zookeeper: 'ZooKeeper',
  postgres: 'PostgreSQL',
  mysql: 'MySQL, MariaDB',
};

export function matrix(data: PageData, speech: Speech): HTMLElement {
  const servers = [...new Set(data.subjects.map(({ server }) => server))];
  const tables = servers.flatMap((server) => table(server, data, speech));
  return h(
    'section',
    { id: 'matrix', 'aria-labelledby': 'matrix-title' },
    h('h2', { id: 'matrix-title' }, speech.text('matrix')),
    legend(data, speech),
    h('div', { class: 'tables' }, ...tables.sort((one, other) => rowsOf(other) - rowsOf(one))),
  );
}

/** The tall ones first, so that they fill columns evenly. */
function rowsOf(element: HTMLElement): number {
  return element.querySelectorAll('tr').length;
}

function legend({ results }: PageData, speech: Speech): HTMLElement {
  const means = (['safe', 'unsafe', 'unknown'] as const).map((verdict) =>
    h('li', {}, badge(verdict, speech), ` ${speech.text(`${verdict}Means` as TextKey)}`),
  );
  const surprise = results.some(isSurprise) && h('li', {}, h('b', {}, '! '), speech.text('surpriseMeans'));
  return h('ul', { class: 'legend' }, ...means, surprise, h('li', { class: 'screen' }, speech.text('matrixHint')));
}

function table(server: string, { subjects, results }: PageData, speech: Speech): HTMLElement[] {
  const theirs = subjects.filter((subject) => subject.server === server).map(({ name }) => name);
  const ran = results.filter(({ subject, verdict }) => theirs.includes(subject) && verdict !== 'not-run');
  if (ran.length === 0) return [];
  const rows = [...new Set(ran.map(({ experiment }) => experiment))];
  const columns = theirs.filter((name) => ran.some(({ subject }) => subject === name));
  const cell = (experiment: string, subject: string): HTMLElement => {
    const result = results.find((one) => one.experiment === experiment && one.subject === subject);
    return h('td', {}, result ? cellOf(result, speech) : '');
  };
  const title = server === 'none' || server === '' ? speech.text('noServer') : (NAMES[server] ?? server);
  return [
    h(
      'div',
      { class: 'card' },
      h(
        'table',
        { class: 'matrix' },
        h('caption', {}, title),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('td', { class: 'corner' }),
            ...columns.map((name) =>
              h('th', { scope: 'col', class: isOurs(name) ? 'column ours' : 'column' }, breakable(name)),
            ),
          ),
        ),
        h(
          'tbody',
          {},
          ...rows.map((experiment) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row', class: 'row' }, h('a', { href: linkTo(experiment, '') }, breakable(experiment))),
              ...columns.map((subject) => cell(experiment, subject)),
            ),
          ),
        ),
      ),
    ),
  ];
}

function isOurs(name: string): boolean {
  return name.startsWith('holdfast:');
}

function cellOf(result: PageResult, speech: Speech): HTMLElement {
  const { experiment, subject, verdict } = result;
  const surprise = isSurprise(result);
  const label =
    speech.text('cellLabel', { subject, experiment, verdict: speech.text(verdict) }) +
    (surprise ? speech.text('cellSurprise') : '');
  if (verdict === 'not-run') {
    return h(
      'span',
      { class: 'cell not-run', title: speech.say(result.reason ?? ''), 'aria-label': label, role: 'img' },
      '–',
    );
  }
  return h(
    'a',
    { class: `cell ${verdict}`, href: linkTo(experiment, subject), 'aria-label': label },
    badge(verdict, speech, { surprise }),
  );
}
