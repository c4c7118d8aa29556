/**
 * What the lab says to a lock that is a program of its own, in any language, and what that answers: one JSON object a
 * line, each call with one answer, one at a time. Here is what a good answer is; `docs/lab/subjects.md` is for those who
 * write such a program.
 *
 * @module
 */
import type { ServerKind } from './servers/find-server.ts';
import { ContractError, checkBelief, checkToken, identityOf } from './subjects/contract.ts';

export type Call =
  | { readonly call: 'describe' }
  | { readonly call: 'open'; readonly url: string }
  | { readonly call: 'acquire'; readonly name: string; readonly ttlMs: number; readonly waitMs: number }
  | { readonly call: 'believes' }
  | { readonly call: 'release' }
  | { readonly call: 'close' };

export type Answer = Readonly<Record<string, unknown>>;

/** The answer that stands in a line, or undefined: then it is something that the program has printed. */
export function readAnswer(line: string): Answer | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return undefined;
  }
}

/** Throws what the program says went wrong. */
export function throwIfError(call: Call['call'], { error }: Answer): void {
  if (error === undefined || error === null) return;
  if (typeof error !== 'string') throw wrong(call, 'error as a text', { error });
  throw new Error(error);
}

/** Throws a ContractError if the program does not say what it is. */
export function toldIdentity(answer: Answer): { name: string; server: ServerKind | 'none' } {
  const { lacks, name, server } = identityOf(answer);
  if (lacks.length > 0) throw wrong('describe', lacks.join('; and '), answer);
  return { name, server };
}

/** The hold that was granted, or null. Throws a ContractError if it is neither. */
export function toldGrant(answer: Answer): { readonly fencingToken?: string } | null {
  const { granted, fencingToken } = answer;
  if (typeof granted !== 'boolean') throw wrong('acquire', 'granted, which is true or false', answer);
  if (!granted) return null;
  if (fencingToken === undefined || fencingToken === null) return {};
  checkToken(fencingToken);
  return { fencingToken: fencingToken as string };
}

/** Throws a ContractError if it is no opinion. */
export function toldBelief(answer: Answer): boolean {
  if (!('believes' in answer)) throw wrong('believes', 'believes, which is true or false', answer);
  return checkBelief(answer.believes);
}

function wrong(call: Call['call'], lacks: string, answer: Answer): ContractError {
  return new ContractError(`The answer to "${call}" lacks ${lacks}; it was ${JSON.stringify(answer).slice(0, 200)}.`);
}
