/**
 * The three tables. Rows of locks are never deleted, since the counter of their tokens lives there. Names and owner ids
 * are bytes, so that no collation takes two of them for one. All times are UTC, written by `UTC_TIMESTAMP(6)`.
 *
 * @module
 */

export const tables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS holdfast_lock (
  name          varbinary(512) PRIMARY KEY,
  token         bigint NOT NULL DEFAULT 0,       -- the last that was given out
  owner         varbinary(255),                  -- null: nobody
  ends_at       datetime(6),                     -- from then on nobody has it, whatever stands in owner
  claim_ms      int,                             -- set while a hand-over waits for the first renewal of its receiver
  quiet         boolean NOT NULL DEFAULT true,   -- nobody waits, and no owner id is refused: one update does a step
  last_ticket   bigint NOT NULL DEFAULT 0,
  broken_owner  varbinary(255),                  -- from whom an operator took it last
  host          varbinary(255),
  pid           int,
  purpose       varbinary(512),
  since         datetime(6)
) ENGINE = InnoDB`,
  `CREATE TABLE IF NOT EXISTS holdfast_waiter (
  name          varbinary(512) NOT NULL,
  ticket        bigint NOT NULL,                 -- the order of arrival
  owner         varbinary(255) NOT NULL,
  ttl_ms        int NOT NULL,
  heartbeat_ms  int NOT NULL,
  silent_at     datetime(6) NOT NULL,            -- from then on it counts as dead
  host          varbinary(255),
  pid           int,
  purpose       varbinary(512),
  since         datetime(6) NOT NULL,
  PRIMARY KEY (name, ticket),
  UNIQUE KEY (name, owner)
) ENGINE = InnoDB`,
  `CREATE TABLE IF NOT EXISTS holdfast_withdrawn ( -- owner ids that are refused, should a request of them come late
  name          varbinary(512) NOT NULL,
  owner         varbinary(255) NOT NULL,
  until         datetime(6) NOT NULL,
  PRIMARY KEY (name, owner),
  KEY (until)
) ENGINE = InnoDB`,
];
