/**
 * The advisor on the page: the same rules and the same function as `holdfast advise`, asked again at each change.
 *
 * @module
 */
import { advise, ContradictionError } from '../../../advise/advice.ts';
import { complete, type Input, type Told } from '../../../advise/situation.ts';
import { contradictionsOf } from '../../../advise/way.ts';
import { sayIn } from '../../../messages/say.ts';
import type { Speech } from '../../../messages/speech.ts';
import type { PageData } from '../../page-data.ts';
import { h } from '../dom.ts';
import { adviceView } from './advice.ts';
import { hashOf } from './asked.ts';
import { advisorForm } from './form.ts';

/** What has been told; the page keeps it while it draws everything anew. */
export interface Asked {
  told: Told;
}

export function advisorView(asked: Asked, data: PageData, speech: Speech): HTMLElement {
  const say = sayIn(speech.language);
  const experiments = new Set(
    data.results.filter(({ verdict }) => verdict !== 'not-run').map(({ experiment }) => experiment),
  );
  const answer = h('div', { class: 'advice card', 'aria-labelledby': 'advice-title', role: 'region', tabindex: '-1' });
  // The whole answer is too long to be read out at each change.
  const said = h('button', { type: 'button', class: 'plain' });
  said.addEventListener('click', () => answer.scrollIntoView({ block: 'start' }));
  const form = advisorForm({ speech, say }, tell);

  function tell(input: Input, value: unknown): void {
    asked.told = { ...asked.told, [input]: value };
    history.replaceState(null, '', hashOf(asked.told));
    show();
  }

  /** The button that was pressed goes with the answer that it stood in. */
  function tellFromAnswer(input: Input, value: unknown): void {
    tell(input, value);
    answer.focus({ preventScroll: true });
    answer.scrollIntoView({ block: 'nearest' });
  }

  function show(): void {
    const { told } = asked;
    try {
      const advice = advise(told, data.bench, say);
      form.show(complete(told), advice.turns);
      answer.replaceChildren(...adviceView(advice, { speech, say, told, experiments, tell: tellFromAnswer }));
      said.textContent = `→ ${advice.title}`;
    } catch (error) {
      if (!(error instanceof ContradictionError)) throw error;
      const completed = complete(told);
      form.show(completed, []);
      said.textContent = speech.text('contradiction');
      answer.replaceChildren(
        h('p', { class: 'headline', id: 'advice-title' }, speech.text('contradiction')),
        ...contradictionsOf(completed.situation).map(({ says }) => h('p', { class: 'notice unknown' }, say(says))),
      );
    }
  }
  show();
  return h(
    'section',
    { id: 'advisor', 'aria-labelledby': 'advisor-title' },
    h('h2', { id: 'advisor-title' }, speech.text('advisor')),
    h('p', { class: 'muted' }, speech.text('advisorHint')),
    h(
      'div',
      { class: 'advisor' },
      h('div', { class: 'asking' }, form.element, h('p', { class: 'answer-now', role: 'status' }, said)),
      answer,
    ),
  );
}
