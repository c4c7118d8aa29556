/**
 * Sentences of an advice that a terminal and a page have in common.
 *
 * @module
 */
import type { Say } from '../messages/say.ts';
import type { Advice } from './advice.ts';
import type { BackendId } from './answers.ts';
import { count, formatMs } from './format.ts';
import { MEASURED_AS } from './measured.ts';
import { LIMITS } from './rules.ts';
import type { Settings } from './settings.ts';

export function settingsText({ ttlMs, ridesOutMs, freeAfterMs }: Settings, say: Say): string {
  const values = { ttl: formatMs(ttlMs), pause: formatMs(ridesOutMs), span: formatMs(freeAfterMs) };
  return freeAfterMs === 0
    ? say(
        "TTL {ttl}, renewed all the time. A killed holder's lock is free at once; a holder that is paused for up to {pause} keeps it.",
        values,
      )
    : say(
        "TTL {ttl}, renewed all the time. A killed holder's lock is free after {span} at the latest; a holder that is paused for up to {pause} keeps it.",
        values,
      );
}

/** What is known of rate and latency where nothing was measured here: an assumption, and called one. */
export function unmeasured(backend: BackendId | undefined, say: Say): readonly string[] {
  return [
    say('In rate and latency: not measured on this machine.'),
    ...assumptionOf(backend, say),
    howToMeasure(backend, say),
  ];
}

/** The numbers are those that the rules compare with. */
function assumptionOf(backend: BackendId | undefined, say: Say): readonly string[] {
  switch (backend) {
    case 'etcd':
    case 'zookeeper':
      return [
        say('Assumed: up to {n}/s, and {ms} ms or more for each lock; a convention of the field.', {
          n: count(LIMITS.consensusPerSecond),
          ms: LIMITS.consensusMs,
        }),
        say(
          'One process with 64 locks at once reached less than 1,000/s with three servers beside it, on another machine of two processors; one after the other a lock and its release took 5 to 7 ms at the median.',
        ),
      ];
    case 'sql':
    case 'sql-session':
      return [
        say(
          'Assumed: up to {n}/s, less than two thirds of the slowest round of MariaDB with 64 locks at once on another machine.',
          {
            n: count(LIMITS.rowsPerSecond),
          },
        ),
      ];
    case 'sqlite':
      return [
        say('Assumed: up to {n}/s, less than half of what one process reached on another machine.', {
          n: count(LIMITS.filePerSecond),
        }),
      ];
    default:
      return [];
  }
}

function howToMeasure(backend: BackendId | undefined, say: Say): string {
  const measured = backend === undefined ? [] : MEASURED_AS[backend];
  if (measured.length === 0) return say('Do that with your own load before you rely on it.');
  return say('`{command}` does that, and then it stands here.', {
    command: `holdfast bench ${measured.join(' ')} --json holdfast-bench.json`,
  });
}

const HAND_OVER = '; hand-over: ';

/** What ours were measured against, as the benchmark says it: what stands for a pair, and what for a hand-over. */
export function comparedText(how: string, say: Say): string {
  const [pair = '', handOver] = how.split(HAND_OVER);
  return handOver === undefined
    ? say(pair)
    : say('{pair}; hand-over: {handOver}', { pair: say(pair), handOver: say(handOver) });
}

export interface Neighbour {
  readonly title: string;
  readonly because: string;
  readonly turns: Advice['turns'];
}

/** What other answers are one input away: turns to the same answer at the same fork belong together. */
export function neighboursOf({ turns }: Pick<Advice, 'turns'>): readonly Neighbour[] {
  const groups = new Map<string, Neighbour>();
  for (const turn of turns) {
    const key = `${turn.answer} ${turn.fork}`;
    const { title, because } = turn;
    groups.set(key, { title, because, turns: [...(groups.get(key)?.turns ?? []), turn] });
  }
  return [...groups.values()];
}
