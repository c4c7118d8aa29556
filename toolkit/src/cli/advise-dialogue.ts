/**
 * The interview of `holdfast advise` on a terminal. Questions go to standard error, so that the advice alone goes into a
 * pipe or a file.
 *
 * @module
 */
import { createInterface } from 'node:readline/promises';
import { sayAgain } from '../advise/advice-text.ts';
import { type Dialogue, interview } from '../advise/interview.ts';
import type { Told } from '../advise/situation.ts';
import type { Say } from '../messages/say.ts';
import { UsageError } from './usage.ts';

export async function askOnTerminal(say: Say): Promise<Told> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  const dialogue: Dialogue = {
    ask: (prompt) => Promise.race([lines.question(prompt), ended]),
    say: (line) => void process.stderr.write(`${line}\n`),
  };
  try {
    dialogue.say(`${say('Press Enter for what stands in brackets.')}\n`);
    const told = await interview(dialogue, say);
    if (told === undefined) {
      dialogue.say('');
      throw new UsageError(say('The questions were not answered to the end.'));
    }
    dialogue.say(`${say('The same again:')}\n`);
    dialogue.say(`  ${inLines(['holdfast advise', ...sayAgain(told)]).join(' \\\n    ')}\n`);
    return told;
  } finally {
    lines.close();
  }
}

/** Parts of a command put together to lines that a terminal can show whole. */
function inLines(parts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last === undefined || last.length + part.length > 72) lines.push(part);
    else lines[lines.length - 1] = `${last} ${part}`;
  }
  return lines;
}
