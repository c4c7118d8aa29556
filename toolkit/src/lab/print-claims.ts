import type { Speech } from '../messages/speech.ts';
import type { Claim, Finding } from './claims.ts';
import { type Paint, pad, paragraph } from './paint.ts';

/** Each lock with what it states and what became of it. From data to lines, nothing else. */
export function claimLines(
  claims: readonly Claim[],
  notExamined: readonly { readonly subject: string; readonly reason: string }[],
  paint: Paint,
  width: number,
  speech: Speech,
): string[] {
  if (claims.length + notExamined.length === 0) return [speech.text('claimsNone')];
  const colors: Record<Finding, (text: string) => string> = {
    confirmed: paint.green,
    refuted: paint.red,
    unconfirmed: paint.yellow,
    undecided: paint.yellow,
    'not-run': paint.dim,
    nothing: paint.dim,
    needed: paint.green,
  };
  const lines = (finding: Finding, words: string): string[] => {
    const [first = '', ...rest] = paragraph(words, width - INDENT, '');
    const head = `  ${colors[finding](pad(speech.text(`finding.${finding}`), INDENT - 2))}`;
    return [`${head}${first}`, ...rest.map((line) => `${' '.repeat(INDENT)}${line}`)];
  };
  const subjects = [...new Set(claims.map(({ subject }) => subject))];
  return [
    paint.bold(speech.text('claims')),
    ...subjects.flatMap((name) => [
      '',
      name,
      ...claims
        .filter(({ subject }) => subject === name)
        .flatMap(({ about, stated, finding, says }) =>
          lines(finding, `${speech.text(`claim.${about}`)}: ${stated}. ${speech.say(says)}`),
        ),
    ]),
    ...notExamined.flatMap(({ subject, reason }) => ['', subject, ...lines('not-run', speech.say(reason))]),
  ];
}

/** Where the words after the finding begin. */
const INDENT = 16;
