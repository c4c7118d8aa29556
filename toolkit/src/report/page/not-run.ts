import type { Speech } from '../../messages/speech.ts';
import type { PageResult } from '../page-data.ts';
import { h } from './dom.ts';

/** What could not take place, by reason. */
export function notRun(results: readonly PageResult[], speech: Speech): HTMLElement | string {
  const reasons = new Map<string, PageResult[]>();
  for (const result of results) {
    if (result.verdict !== 'not-run') continue;
    reasons.set(result.reason ?? '', [...(reasons.get(result.reason ?? '') ?? []), result]);
  }
  if (reasons.size === 0) return '';
  const unique = (names: readonly string[]): string => [...new Set(names)].join(', ');
  return h(
    'section',
    { class: 'not-run-list' },
    h('h2', {}, speech.text('notRunTitle')),
    h(
      'dl',
      {},
      ...[...reasons].flatMap(([reason, group]) => [
        h(
          'dt',
          {},
          `${unique(group.map(({ experiment }) => experiment))} · ${unique(group.map(({ subject }) => subject))}`,
        ),
        h('dd', {}, speech.say(reason)),
      ]),
    ),
  );
}
