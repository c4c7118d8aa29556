/**
 * Every statement on the tables of `schema.ts`, prepared once for each connection. Numbers in them stand for the
 * values in the order of the comment above.
 *
 * @module
 */
import type { Database, Statement } from '../client.ts';

type StatementName =
  | 'begin'
  | 'commit'
  | 'counter'
  | 'setLast'
  | 'setReserved'
  | 'addInstance'
  | 'instance'
  | 'removeInstance'
  | 'lease'
  | 'give'
  | 'extend'
  | 'removeLease'
  | 'heldLeases'
  | 'removeEndedLeases'
  | 'leasesOf'
  | 'handedOver'
  | 'waiter'
  | 'firstWaiter'
  | 'waitersFor'
  | 'waiters'
  | 'waiterAhead'
  | 'waiterBehind'
  | 'addWaiter'
  | 'keepWaiter'
  | 'removeWaiter'
  | 'removeWaitersOf'
  | 'withdrawn'
  | 'addWithdrawn'
  | 'removeOldWithdrawn'
  | 'addBroken'
  | 'brokenOf'
  | 'removeBrokenOf';

const LEASE = `name, owner, instance, CAST(token AS TEXT) AS token, granted_ms AS grantedMs, ends_ms AS endsMs,
  claimed, purpose, since_at AS sinceAt`;

const WAITER = `name, ticket, owner, instance, ttl_ms AS ttlMs, heartbeat_ms AS heartbeatMs, silent_ms AS silentMs,
  purpose, since_at AS sinceAt`;

const SQL: Readonly<Record<StatementName, string>> = {
  // Exclusive from the start: then no reader can be in the way of the commit.
  begin: 'BEGIN EXCLUSIVE',
  commit: 'COMMIT',

  counter: `SELECT CAST(last_token AS TEXT) AS last, CAST(reserved_token AS TEXT) AS reserved, clock_shift AS clockShift
    FROM counter`,
  // token
  setLast: 'UPDATE counter SET last_token = CAST(?1 AS INTEGER)',
  // token
  setReserved: 'UPDATE counter SET reserved_token = max(reserved_token, CAST(?1 AS INTEGER))',

  // id, inode, host, pid
  addInstance: 'INSERT INTO instance (id, inode, host, pid) VALUES (?1, ?2, ?3, ?4)',
  // id
  instance: 'SELECT id, inode, host, pid FROM instance WHERE id = ?1',
  removeInstance: 'DELETE FROM instance WHERE id = ?1',

  // name
  lease: `SELECT ${LEASE} FROM lease WHERE name = ?1`,
  // name, owner, instance, token, granted ms, ends ms, claimed, purpose, since
  give: `INSERT INTO lease (name, owner, instance, token, granted_ms, ends_ms, claimed, purpose, since_at)
    VALUES (?1, ?2, ?3, CAST(?4 AS INTEGER), ?5, ?6, ?7, ?8, ?9)
    ON CONFLICT (name) DO UPDATE SET owner = ?2, instance = ?3, token = CAST(?4 AS INTEGER), granted_ms = ?5,
      ends_ms = ?6, claimed = ?7, purpose = ?8, since_at = ?9`,
  // name, granted ms, ends ms
  extend: 'UPDATE lease SET granted_ms = ?2, ends_ms = ?3, claimed = 1 WHERE name = ?1',
  // name
  removeLease: 'DELETE FROM lease WHERE name = ?1',
  // now
  heldLeases: `SELECT ${LEASE} FROM lease WHERE ends_ms > ?1`,
  removeEndedLeases: `DELETE FROM lease
    WHERE ends_ms <= ?1 AND NOT EXISTS (SELECT 1 FROM waiter WHERE waiter.name = lease.name)`,
  // instance
  leasesOf: `SELECT ${LEASE} FROM lease WHERE instance = ?1`,
  handedOver: `SELECT ${LEASE} FROM lease WHERE claimed = 0 AND instance = ?1`,

  // name, owner
  waiter: `SELECT ${WAITER} FROM waiter WHERE name = ?1 AND owner = ?2`,
  // name
  firstWaiter: `SELECT ${WAITER} FROM waiter WHERE name = ?1 ORDER BY ticket LIMIT 1`,
  waitersFor: `SELECT ${WAITER} FROM waiter WHERE name = ?1 ORDER BY ticket`,
  waiters: `SELECT ${WAITER} FROM waiter ORDER BY name, ticket`,
  // name, ticket
  waiterAhead: `SELECT ${WAITER} FROM waiter WHERE name = ?1 AND ticket < ?2 ORDER BY ticket DESC LIMIT 1`,
  waiterBehind: `SELECT ${WAITER} FROM waiter WHERE name = ?1 AND ticket > ?2 ORDER BY ticket LIMIT 1`,
  // name, owner, instance, ttl ms, heartbeat ms, silent ms, purpose, since
  addWaiter: `INSERT INTO waiter (name, ticket, owner, instance, ttl_ms, heartbeat_ms, silent_ms, purpose, since_at)
    VALUES (?1, (SELECT coalesce(max(ticket), 0) + 1 FROM waiter WHERE name = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
  // name, ticket, ttl ms, heartbeat ms, silent ms
  keepWaiter: `UPDATE waiter SET ttl_ms = ?3, heartbeat_ms = ?4, silent_ms = ?5 WHERE name = ?1 AND ticket = ?2`,
  // name, ticket
  removeWaiter: 'DELETE FROM waiter WHERE name = ?1 AND ticket = ?2',
  // instance
  removeWaitersOf: 'DELETE FROM waiter WHERE instance = ?1',

  // owner
  withdrawn: 'SELECT until_ms AS untilMs FROM withdrawn WHERE owner = ?1',
  // owner, until
  addWithdrawn:
    'INSERT INTO withdrawn (owner, until_ms) VALUES (?1, ?2) ON CONFLICT (owner) DO UPDATE SET until_ms = ?2',
  // now
  removeOldWithdrawn: 'DELETE FROM withdrawn WHERE until_ms <= ?1',

  // instance, owner
  addBroken: 'INSERT OR IGNORE INTO broken (instance, owner) VALUES (?1, ?2)',
  // instance
  brokenOf: 'SELECT owner FROM broken WHERE instance = ?1',
  removeBrokenOf: 'DELETE FROM broken WHERE instance = ?1',
};

export type Statements = Readonly<Record<StatementName, Statement>>;

/** Prepares all statements. The tables must be readable just now. */
export function prepareStatements(database: Database): Statements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(entries) as Statements;
}
