/**
 * What is sent to MySQL for each step, and what makes the tables.
 *
 * @module
 */
import type { SqlStatements } from '../../../sql/database.ts';
import { steps } from './steps.ts';
import { tables } from './tables.ts';

/** Everything that `createTables` runs, one statement each. */
export const ddlStatements: readonly string[] = [...tables, ...steps];

const call = (step: string, count: number): string =>
  `CALL holdfast_${step}_1(${Array.from({ length: count }, () => '?').join(', ')})`;

const report = (asked: string, which: string): string => `
${asked}SELECT name, 0 AS place, owner, CAST(token AS CHAR) AS token, host, pid, purpose,
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', since) / 1000 AS since,
  TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), ends_at) / 1000 AS remaining
FROM holdfast_lock WHERE owner IS NOT NULL AND ends_at > UTC_TIMESTAMP(6) ${which}
UNION ALL
SELECT name, ticket, owner, NULL, host, pid, purpose, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', since) / 1000, NULL
FROM holdfast_waiter WHERE silent_at > UTC_TIMESTAMP(6) ${which}
ORDER BY name, place`;

export const statements: SqlStatements = {
  acquire: call('acquire', 9),
  release: call('release', 2),
  renew: call('renew', 1),
  withdraw: call('withdraw', 3),
  transfer: call('transfer', 9),
  breakLock: call('break', 1),
  handedOver: call('handed_over', 1),
  inspect: report('WITH asked AS (SELECT CAST(? AS BINARY) AS wanted) ', 'AND name = (SELECT wanted FROM asked)'),
  list: report('', ''),
};
