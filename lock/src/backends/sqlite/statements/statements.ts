/**
 * Every statement on the tables of `schema.ts`, prepared once for each connection; the comment above
 * each names its values in order. They are anonymous, since to better-sqlite3 a numbered parameter is a named one.
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
  setLast: 'UPDATE counter SET last_token = CAST(? AS INTEGER)',
  // token
  setReserved: 'UPDATE counter SET reserved_token = max(reserved_token, CAST(? AS INTEGER))',

  // id, inode, host, pid
  addInstance: 'INSERT INTO instance (id, inode, host, pid) VALUES (?, ?, ?, ?)',
  // id
  instance: 'SELECT id, inode, host, pid FROM instance WHERE id = ?',
  removeInstance: 'DELETE FROM instance WHERE id = ?',

  // name
  lease: `SELECT ${LEASE} FROM lease WHERE name = ?`,
  // name, owner, instance, token, granted ms, ends ms, claimed, purpose, since
  give: `INSERT INTO lease (name, owner, instance, token, granted_ms, ends_ms, claimed, purpose, since_at)
    VALUES (?, ?, ?, CAST(? AS INTEGER), ?, ?, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, instance = excluded.instance, token = excluded.token,
      granted_ms = excluded.granted_ms, ends_ms = excluded.ends_ms, claimed = excluded.claimed,
      purpose = excluded.purpose, since_at = excluded.since_at`,
  // granted ms, ends ms, name
  extend: 'UPDATE lease SET granted_ms = ?, ends_ms = ?, claimed = 1 WHERE name = ?',
  // name
  removeLease: 'DELETE FROM lease WHERE name = ?',
  // now
  heldLeases: `SELECT ${LEASE} FROM lease WHERE ends_ms > ?`,
  removeEndedLeases: `DELETE FROM lease
    WHERE ends_ms <= ? AND NOT EXISTS (SELECT 1 FROM waiter WHERE waiter.name = lease.name)`,
  // instance
  leasesOf: `SELECT ${LEASE} FROM lease WHERE instance = ?`,
  handedOver: `SELECT ${LEASE} FROM lease WHERE claimed = 0 AND instance = ?`,

  // name, owner
  waiter: `SELECT ${WAITER} FROM waiter WHERE name = ? AND owner = ?`,
  // name
  firstWaiter: `SELECT ${WAITER} FROM waiter WHERE name = ? ORDER BY ticket LIMIT 1`,
  waitersFor: `SELECT ${WAITER} FROM waiter WHERE name = ? ORDER BY ticket`,
  waiters: `SELECT ${WAITER} FROM waiter ORDER BY name, ticket`,
  // name, ticket
  waiterAhead: `SELECT ${WAITER} FROM waiter WHERE name = ? AND ticket < ? ORDER BY ticket DESC LIMIT 1`,
  waiterBehind: `SELECT ${WAITER} FROM waiter WHERE name = ? AND ticket > ? ORDER BY ticket LIMIT 1`,
  // name, the same name, owner, instance, ttl ms, heartbeat ms, silent ms, purpose, since
  addWaiter: `INSERT INTO waiter (name, ticket, owner, instance, ttl_ms, heartbeat_ms, silent_ms, purpose, since_at)
    VALUES (?, (SELECT coalesce(max(ticket), 0) + 1 FROM waiter WHERE name = ?), ?, ?, ?, ?, ?, ?, ?)`,
  // ttl ms, heartbeat ms, silent ms, name, ticket
  keepWaiter: 'UPDATE waiter SET ttl_ms = ?, heartbeat_ms = ?, silent_ms = ? WHERE name = ? AND ticket = ?',
  // name, ticket
  removeWaiter: 'DELETE FROM waiter WHERE name = ? AND ticket = ?',
  // instance
  removeWaitersOf: 'DELETE FROM waiter WHERE instance = ?',

  // owner
  withdrawn: 'SELECT until_ms AS untilMs FROM withdrawn WHERE owner = ?',
  // owner, until
  addWithdrawn: `INSERT INTO withdrawn (owner, until_ms) VALUES (?, ?)
    ON CONFLICT (owner) DO UPDATE SET until_ms = excluded.until_ms`,
  // now
  removeOldWithdrawn: 'DELETE FROM withdrawn WHERE until_ms <= ?',

  // instance, owner
  addBroken: 'INSERT OR IGNORE INTO broken (instance, owner) VALUES (?, ?)',
  // instance
  brokenOf: 'SELECT owner FROM broken WHERE instance = ?',
  removeBrokenOf: 'DELETE FROM broken WHERE instance = ?',
};

export type Statements = Readonly<Record<StatementName, Statement>>;

/** Prepares all statements. The tables must be readable just now. */
export function prepareStatements(database: Database): Statements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(entries) as Statements;
}
