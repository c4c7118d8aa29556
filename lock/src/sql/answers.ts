/**
 * Reads the lines and rows with which the steps answer.
 *
 * @module
 */
import type { Busy, Gone, Granted, LockReport, OwnerReport, RenewAnswer, Waiting } from '../core/backend.ts';
import type { SqlRow } from './database.ts';

export type StepAnswer = Granted | Busy | Waiting | Gone | { readonly outcome: 'not-held' };

/** A line such as `granted 7 30000`. An answer that is none of ours is an Error, whose outcome counts as unknown. */
export function readStep(line: string): StepAnswer {
  const [outcome, first = '', second = ''] = line.split(' ');
  switch (outcome) {
    case 'granted':
      return { outcome, fencingToken: BigInt(first), ttlMs: Number(second) };
    case 'busy':
      return { outcome, retryInMs: Number(first) };
    case 'waiting': {
      const waiting: Waiting = { outcome, lastToken: BigInt(first) };
      return second === '-' ? waiting : { ...waiting, retryInMs: Number(second) };
    }
    case 'gone':
    case 'not-held':
      return { outcome };
    default:
      throw new Error(`an answer that no step gives: ${JSON.stringify(line)}`);
  }
}

/** One letter for each hold, in order. */
export function readRenewals(letters: string): (RenewAnswer | 'broken')[] {
  return [...letters].map((letter) => (letter === 'r' ? 'renewed' : letter === 'b' ? 'broken' : 'lost'));
}

interface HolderJson {
  readonly owner: string;
  readonly token: string;
  readonly host: string | null;
  readonly pid: number | null;
  readonly purpose: string | null;
  readonly since: number | null;
  readonly remaining: number;
}

/** The JSON of `breakLock`. */
export function readBroken(text: string): { broken: LockReport['holder']; raiseTo: bigint } {
  const { raiseTo, holder } = JSON.parse(text) as { raiseTo: string; holder: HolderJson | null };
  return { broken: holder === null ? null : holderReport({ ...holder }), raiseTo: BigInt(raiseTo) };
}

/** Rows of holders and waiters, those of one lock together and in order, as reports sorted by name. */
export function readReports(rows: readonly SqlRow[]): LockReport[] {
  const reports = new Map<string, { name: string; holder: LockReport['holder']; waiters: OwnerReport[] }>();
  for (const row of rows) {
    const name = String(row.name);
    const report = reports.get(name) ?? { name, holder: null, waiters: [] };
    reports.set(name, report);
    if (row.token === null) report.waiters.push(ownerReport(row));
    else report.holder = holderReport(row);
  }
  return [...reports.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function holderReport(row: SqlRow): NonNullable<LockReport['holder']> {
  return {
    ...ownerReport(row),
    fencingToken: BigInt(String(row.token)),
    remainingMs: Number(row.remaining),
    foreign: false,
  };
}

function ownerReport({ owner, host, pid, purpose, since }: SqlRow): OwnerReport {
  return {
    owner: String(owner),
    host: (host as string | null) ?? undefined,
    pid: pid === null ? undefined : Number(pid),
    purpose: (purpose as string | null) ?? undefined,
    since: since === null ? undefined : new Date(Math.round(Number(since))),
  };
}
