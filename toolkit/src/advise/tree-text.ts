/**
 * The decision tree as text, made from the rules.
 *
 * @module
 */
import { inEnglish, type Say } from '../messages/say.ts';
import { ANSWERS, type AnswerId } from './answers.ts';
import { type Branch, TREE } from './rules.ts';

/** The whole tree, and below it what its answers are called. */
export function treeLines(say: Say = inEnglish): string[] {
  const ids = Object.keys(ANSWERS) as AnswerId[];
  const wide = Math.max(...ids.map((id) => id.length));
  return [...branchLines(TREE, '', '', say), '', ...ids.map((id) => `${id.padEnd(wide)}  ${say(ANSWERS[id].title)}`)];
}

/** A fork is a line; what follows where it holds stands on it or below it, indented, and the rest goes on after it. */
function branchLines(branch: Branch, indent: string, begin: string, say: Say): string[] {
  if (typeof branch === 'string') return [`${indent}${begin}→ ${branch}`];
  const { yes, no } = branch;
  const says = say(branch.says);
  const rest = branchLines(no, indent, say('otherwise '), say);
  if (typeof yes === 'string') return [`${indent}${begin}${says} → ${yes}`, ...rest];
  return [`${indent}${begin}${says}:`, ...branchLines(yes, `${indent}    `, '', say), ...rest];
}
