/**
 * The decision tree as text, made from the rules.
 *
 * @module
 */
import { ANSWERS, type AnswerId } from './answers.ts';
import { type Branch, TREE } from './rules.ts';

/** The whole tree, and below it what its answers are called. */
export function treeLines(): string[] {
  const ids = Object.keys(ANSWERS) as AnswerId[];
  const wide = Math.max(...ids.map((id) => id.length));
  return [...branchLines(TREE, '', ''), '', ...ids.map((id) => `${id.padEnd(wide)}  ${ANSWERS[id].title}`)];
}

/** A fork is a line; what follows where it holds stands on it or below it, indented, and the rest goes on after it. */
function branchLines(branch: Branch, indent: string, begin: string): string[] {
  if (typeof branch === 'string') return [`${indent}${begin}→ ${branch}`];
  const { says, yes, no } = branch;
  const rest = branchLines(no, indent, 'otherwise ');
  if (typeof yes === 'string') return [`${indent}${begin}${says} → ${yes}`, ...rest];
  return [`${indent}${begin}${says}:`, ...branchLines(yes, `${indent}    `, ''), ...rest];
}
