/**
 * The three tables. Rows of locks are never deleted, since the counter of their tokens lives there.
 *
 * Input: `prefix`, the schema with its dot, or nothing. All times are `timestamptz`, written by `clock_timestamp()`.
 *
 * @module
 */

export function tables(prefix: string): string {
  return `
CREATE TABLE IF NOT EXISTS ${prefix}holdfast_lock (
  name          text COLLATE "C" PRIMARY KEY,
  token         bigint NOT NULL DEFAULT 0,     -- the last that was given out
  owner         text COLLATE "C",              -- null: nobody
  ends_at       timestamptz,                   -- from then on nobody has it, whatever stands in owner
  claim_ms      integer,                       -- set while a hand-over waits for the first renewal of its receiver
  quiet         boolean NOT NULL DEFAULT true, -- nobody waits, and no owner id is refused: one update does a step
  last_ticket   bigint NOT NULL DEFAULT 0,
  broken_owner  text COLLATE "C",              -- from whom an operator took it last
  channel       text,                          -- where the holder's process listens
  host          text,
  pid           integer,
  purpose       text,
  since         timestamptz
) WITH (fillfactor = 50); -- room for the next version of a row on its own page, without touching the index

CREATE TABLE IF NOT EXISTS ${prefix}holdfast_waiter (
  name          text COLLATE "C" NOT NULL,
  ticket        bigint NOT NULL,               -- the order of arrival
  owner         text COLLATE "C" NOT NULL,
  ttl_ms        integer NOT NULL,
  heartbeat_ms  integer NOT NULL,
  silent_at     timestamptz NOT NULL,          -- from then on it counts as dead
  channel       text,
  host          text,
  pid           integer,
  purpose       text,
  since         timestamptz NOT NULL,
  PRIMARY KEY (name, ticket),
  UNIQUE (name, owner)
) WITH (fillfactor = 50);

CREATE TABLE IF NOT EXISTS ${prefix}holdfast_withdrawn ( -- owner ids that are refused, should a request of them come late
  name          text COLLATE "C" NOT NULL,
  owner         text COLLATE "C" NOT NULL,
  until         timestamptz NOT NULL,
  PRIMARY KEY (name, owner)
);
CREATE INDEX IF NOT EXISTS holdfast_withdrawn_until ON ${prefix}holdfast_withdrawn (until);
`;
}
