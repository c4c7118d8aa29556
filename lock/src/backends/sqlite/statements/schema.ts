/**
 * The tables of one boot. Instants are milliseconds of the machine's monotonic clock; `since_at` is wall clock, for
 * people. Tokens go in and out as text, since a JavaScript number ends at 2^53.
 *
 * @module
 */

/** Counts changes of the tables below. All processes of a boot must agree, since they share the file. */
export const LAYOUT = 1;

export const SCHEMA: string = `
PRAGMA journal_mode = PERSIST;
PRAGMA synchronous = OFF;
BEGIN EXCLUSIVE;
PRAGMA user_version = ${LAYOUT};

-- One row. Every token is above all earlier ones of this file, of whatever lock; so a lock needs no row between holders.
CREATE TABLE counter (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  last_token INTEGER NOT NULL,
  reserved_token INTEGER NOT NULL, --  the floor on disk that tokens may be given out up to
  clock_shift TEXT NOT NULL
);

-- Backend objects that have, or had, a lease or a place.
CREATE TABLE instance (
  id TEXT PRIMARY KEY,
  inode TEXT NOT NULL, --  of its liveness file
  host TEXT NOT NULL,
  pid INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  instance TEXT NOT NULL,
  token INTEGER NOT NULL,
  granted_ms REAL NOT NULL, --  for how long it was given
  ends_ms REAL NOT NULL,
  claimed INTEGER NOT NULL, --  0: handed over, and its owner has not been heard of since
  purpose TEXT,
  since_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX handed_over ON lease (instance) WHERE claimed = 0;

CREATE TABLE waiter (
  name TEXT NOT NULL,
  ticket INTEGER NOT NULL, --  the place in the queue of this name
  owner TEXT NOT NULL,
  instance TEXT NOT NULL,
  ttl_ms REAL NOT NULL,
  heartbeat_ms REAL NOT NULL,
  silent_ms REAL NOT NULL, --  when it counts as dead if no heartbeat comes
  purpose TEXT,
  since_at INTEGER NOT NULL,
  PRIMARY KEY (name, ticket)
) WITHOUT ROWID;

-- Owner ids that are refused, since a request of theirs may arrive after it was withdrawn.
CREATE TABLE withdrawn (owner TEXT PRIMARY KEY, until_ms REAL NOT NULL) WITHOUT ROWID;

-- Holders whose lock was broken, and who are to be told.
CREATE TABLE broken (instance TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (instance, owner)) WITHOUT ROWID;
`;
