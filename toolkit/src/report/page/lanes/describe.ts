import { moment } from '../../../lab/format.ts';
import type { Speech } from '../../../messages/speech.ts';
import type { Lane, Mark, Span } from '../../lane.ts';

/** What happened at a mark, as a line of text. */
export function describeMark(lane: Lane, [kind, at, by, says]: Mark, speech: Speech): string {
  const more = says === undefined || says === '' ? '' : ` (${speech.say(says)})`;
  const what =
    kind === 'fault'
      ? `${speech.named(by ?? '')}${more}`
      : kind === 'news'
        ? speech.say(says ?? '')
        : `${speech.named(kind).replace('{by}', by ?? '')}${more}`;
  return `${moment(at)}  ${speech.named(lane.id)}: ${what}`;
}

export function describeSpan(lane: Lane, [kind, from, to, says]: Span, speech: Speech): string {
  const more = says === undefined ? '' : ` (${speech.say(says)})`;
  return `${moment(from)} – ${moment(to)}  ${speech.named(lane.id)}: ${speech.named(kind)}${more}`;
}
