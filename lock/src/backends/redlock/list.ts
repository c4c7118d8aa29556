/**
 * The locks that have votes somewhere, each looked at on all servers.
 *
 * @module
 */
import type { LockReport } from '../../core/backend.ts';
import { BackendUnavailableError, LockError } from '../../core/errors.ts';
import { scanLocks } from '../redis/list.ts';
import type { Voter } from './voter.ts';
import { majority } from './votes.ts';

/** Sorted by name. A page of names that a server does not give within `pageMs` counts as no answer of it. */
export async function listLocks(
  voters: readonly Voter[],
  keyPrefix: string,
  pageMs: number,
  inspect: (name: string) => Promise<LockReport>,
): Promise<readonly LockReport[]> {
  if (keyPrefix === '') {
    throw new LockError('UNSUPPORTED', 'With an empty keyPrefix locks cannot be told from data, and so not be listed.');
  }
  const reports = new Map<string, Promise<LockReport>>();
  const once = (name: string): Promise<LockReport> => {
    const report = reports.get(name) ?? inspect(name);
    reports.set(name, report);
    return report;
  };
  const problems: unknown[] = [];
  const lists = await Promise.all(
    voters.map((voter) => {
      const send = (args: readonly string[]): Promise<unknown> => within(pageMs, voter.send(args));
      const keys = { send, keyPrefix: voter.commands.keyPrefix ?? '' };
      return scanLocks(keys, keyPrefix, once).catch((error: unknown) => {
        problems.push(error);
        return [];
      });
    }),
  );
  if (voters.length - problems.length < majority(voters.length)) {
    const [first] = problems;
    const text = first instanceof Error ? first.message : String(first);
    throw new BackendUnavailableError(
      `Only ${voters.length - problems.length} of ${voters.length} servers listed their locks, and ${majority(voters.length)} are needed: ${text}`,
    );
  }
  const byName = new Map(lists.flat().map((report) => [report.name, report]));
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function within<Answer>(limitMs: number, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
