import type { Speech } from '../messages/speech.ts';
import type { Claim, Finding } from './claims.ts';
import { type Paint, pad, paragraph } from './paint.ts';

/** Each lock with what it states and what became of it. From data to lines, nothing else. */
export function claimLines(claims: readonly Claim[], paint: Paint, width: number, speech: Speech): string[] {
  if (claims.length === 0) return [speech.text('claimsNone')];
  const colors: Record<Finding, (text: string) => string> = {
    confirmed: paint.green,
    refuted: paint.red,
    unconfirmed: paint.yellow,
    beyond: paint.dim,
    nothing: paint.dim,
    needed: paint.green,
  };
  const subjects = [...new Set(claims.map(({ subject }) => subject))];
  return [
    paint.bold(speech.text('claims')),
    ...subjects.flatMap((name) => [
      '',
      name,
      ...claims
        .filter(({ subject }) => subject === name)
        .flatMap(({ about, stated, finding, says }) => {
          const words = `${speech.text(`claim.${about}`)}: ${stated}. ${speech.say(says)}`;
          const [first = '', ...rest] = paragraph(words, width - INDENT, '');
          const head = `  ${colors[finding](pad(speech.text(`finding.${finding}`), INDENT - 2))}`;
          return [`${head}${first}`, ...rest.map((line) => `${' '.repeat(INDENT)}${line}`)];
        }),
    ]),
  ];
}

/** Where the words after the finding begin. */
const INDENT = 16;
