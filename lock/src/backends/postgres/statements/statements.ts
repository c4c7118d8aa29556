/**
 * What is sent to PostgreSQL for each step, and what makes the tables.
 *
 * @module
 */
import type { SqlStatements } from '../../../sql/database.ts';
import { steps } from './steps.ts';
import { tables } from './tables.ts';

/** Everything that `createTables` runs, as one text. It may be run again, and changes no row. */
export function ddl(prefix: string): string {
  return `${tables(prefix)}${steps(prefix)}`;
}

export function statements(prefix: string): SqlStatements {
  const call = (step: string, count: number): string =>
    `SELECT ${prefix}holdfast_${step}_1(${Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ')}) AS answer`;
  return {
    acquire: call('acquire', 9),
    release: call('release', 2),
    renew: call('renew', 1),
    withdraw: call('withdraw', 3),
    transfer: call('transfer', 9),
    breakLock: call('break', 1),
    handedOver: `
WITH wanted AS (SELECT n, o FROM json_to_recordset($1) AS wanted(n text, o text))
SELECT owner, token::text AS token, claim_ms AS claim, NULL AS ahead
FROM ${prefix}holdfast_lock JOIN wanted ON name = n AND owner = o
WHERE claim_ms IS NOT NULL AND ends_at > clock_timestamp()
UNION ALL
SELECT owner, NULL, NULL, ticket - (SELECT min(ticket) FROM ${prefix}holdfast_waiter AS first WHERE first.name = w.name)
FROM ${prefix}holdfast_waiter AS w JOIN wanted ON name = n AND owner = o`,
    inspect: report(prefix, 'AND name = $1'),
    list: report(prefix, ''),
  };
}

function report(prefix: string, which: string): string {
  return `
SELECT name, 0 AS place, owner, token::text AS token, host, pid, purpose, extract(epoch FROM since) * 1000 AS since,
  extract(epoch FROM ends_at - clock_timestamp()) * 1000 AS remaining
FROM ${prefix}holdfast_lock WHERE owner IS NOT NULL AND ends_at > clock_timestamp() ${which}
UNION ALL
SELECT name, ticket, owner, NULL, host, pid, purpose, extract(epoch FROM since) * 1000, NULL
FROM ${prefix}holdfast_waiter WHERE silent_at > clock_timestamp() ${which}
ORDER BY name, place`;
}
