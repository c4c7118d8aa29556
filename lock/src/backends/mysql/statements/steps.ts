/**
 * The steps as stored procedures: each call is one transaction and one round trip, and no row stays locked while a
 * client thinks, or is stopped. The number at the end of their names goes up when a step changes, so that processes
 * with an older Holdfast find theirs.
 *
 * Every step on a lock takes that lock's row first, so steps on one lock go one after the other; reads are READ
 * COMMITTED, so what is read after the row was taken is the truth. An update that finds a free lock nobody waits for
 * is a step by itself.
 *
 * The answer is a line of words: `granted <token> <ttl>`, `busy <retry>`, `waiting <last token> <retry or ->`, `gone`,
 * `released`, `not-held`.
 *
 * @module
 */
import { CLAIM_HEARTBEATS, SILENT_HEARTBEATS, TOMBSTONE_MS } from '../../../sql/limits.ts';

/** Text is bytes of UTF-8. */
const ASKER = `in_name varbinary(512), in_owner varbinary(255), in_ttl int, in_heartbeat int, in_purpose varbinary(512),
  in_channel varbinary(64), in_host varbinary(255), in_pid int`;

const NOW = 'UTC_TIMESTAMP(6)';
const later = (ms: string): string => `${NOW} + INTERVAL ${ms} * 1000 MICROSECOND`;

const GRANT = `token = LAST_INSERT_ID(token + 1), owner = in_owner, ends_at = ${later('in_ttl')}, claim_ms = NULL,
    host = in_host, pid = in_pid, purpose = in_purpose, since = ${NOW}`;

/** Spelled out, since `completion_type` of a session may say otherwise: a new transaction at once, or the end of the connection. */
export const ROLLBACK = 'ROLLBACK AND NO CHAIN NO RELEASE';
const COMMIT = 'COMMIT AND NO CHAIN NO RELEASE';

/** Ends what somebody has left open on this connection: it is not ours to commit, and nothing is read in its past. */
const LEFT_OPEN = `${ROLLBACK};`;

const BEGIN = `${LEFT_OPEN}
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  START TRANSACTION;`;

/** Reads the row into l_…, and takes it. */
const TAKE = `SELECT token, owner, ends_at INTO l_token, l_owner, l_ends FROM holdfast_lock WHERE name = in_name FOR UPDATE;
  SET l_held = COALESCE(l_owner IS NOT NULL AND l_ends > ${NOW}, false);`;

const MAKE = 'INSERT INTO holdfast_lock (name) VALUES (in_name) ON DUPLICATE KEY UPDATE name = in_name;';

const ROW = `DECLARE l_token bigint;
  DECLARE l_owner varbinary(255);
  DECLARE l_ends datetime(6);
  DECLARE l_held boolean DEFAULT false;`;

const procedure = (name: string, parameters: string, variables: string, body: string): string =>
  `CREATE PROCEDURE holdfast_${name}_1(${parameters})
SQL SECURITY INVOKER
main: BEGIN
  ${variables}
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ${ROLLBACK}; RESIGNAL; END;
  ${body}
END`;

/** Steps that others call inside their transaction have no handler of their own. */
const helper = (name: string, parameters: string, variables: string, body: string): string =>
  procedure(name, parameters, variables, body).replace(/ {2}DECLARE EXIT HANDLER.*\n/, '');

const answer = (expression: string): string => `${COMMIT}; SELECT ${expression} AS answer; LEAVE main;`;

export const steps: readonly string[] = [
  // Gives a free lock to the first live waiter. The row is taken.
  helper(
    'hand_over',
    'in_name varbinary(512)',
    `DECLARE w_ticket bigint;
  DECLARE w_claim int;`,
    `DELETE FROM holdfast_waiter WHERE name = in_name AND silent_at <= ${NOW};
  SELECT ticket, LEAST(ttl_ms, ${CLAIM_HEARTBEATS} * heartbeat_ms) INTO w_ticket, w_claim
    FROM holdfast_waiter WHERE name = in_name ORDER BY ticket LIMIT 1;
  IF w_ticket IS NULL THEN
    UPDATE holdfast_lock SET owner = NULL, ends_at = NULL, claim_ms = NULL,
        quiet = NOT EXISTS (SELECT 1 FROM holdfast_withdrawn WHERE name = in_name AND until > ${NOW})
      WHERE name = in_name;
  ELSE
    UPDATE holdfast_lock l JOIN holdfast_waiter w ON w.name = l.name AND w.ticket = w_ticket
      SET l.token = l.token + 1, l.owner = w.owner, l.ends_at = ${later('w_claim')}, l.claim_ms = w_claim,
        l.host = w.host, l.pid = w.pid, l.purpose = w.purpose, l.since = ${NOW}
      WHERE l.name = in_name;
    DELETE FROM holdfast_waiter WHERE name = in_name AND ticket = w_ticket;
  END IF;`,
  ),

  // The part of `acquire` that needs a transaction; it ends it. The row is taken or is not there.
  helper(
    'acquire_slowly',
    `in_step varbinary(8), ${ASKER}`,
    `${ROW}
  DECLARE l_alone boolean DEFAULT false;
  DECLARE w_ticket bigint;
  DECLARE w_place bigint;
  DECLARE w_first bigint;
  DECLARE l_left bigint;`,
    `${MAKE}
  ${TAKE}
  IF EXISTS (SELECT 1 FROM holdfast_withdrawn WHERE name = in_name AND owner = in_owner AND until > ${NOW}) THEN
    ${answer("IF(in_step = 'try', CONCAT_WS(' ', 'busy', in_ttl), 'gone')")}
  END IF;
  IF l_held AND l_owner = in_owner THEN
    UPDATE holdfast_lock SET ends_at = ${later('in_ttl')}, claim_ms = NULL WHERE name = in_name;
    ${answer("CONCAT_WS(' ', 'granted', l_token, in_ttl)")}
  END IF;

  IF in_step = 'try' THEN
    IF NOT l_held THEN
      CALL holdfast_hand_over_1(in_name);
      ${TAKE}
      SET l_alone = l_owner IS NULL;
    END IF;
  ELSE
    DELETE FROM holdfast_waiter WHERE name = in_name AND silent_at <= ${NOW};
    SELECT ticket INTO w_ticket FROM holdfast_waiter WHERE name = in_name AND owner = in_owner;
    IF w_ticket IS NOT NULL THEN
      UPDATE holdfast_waiter SET silent_at = ${later(`${SILENT_HEARTBEATS} * in_heartbeat`)}, ttl_ms = in_ttl,
          heartbeat_ms = in_heartbeat
        WHERE name = in_name AND ticket = w_ticket;
    ELSEIF in_step = 'stay' THEN
      ${answer("'gone'")}
    ELSEIF NOT l_held AND NOT EXISTS (SELECT 1 FROM holdfast_waiter WHERE name = in_name) THEN
      SET l_alone = true;
    ELSE
      UPDATE holdfast_lock SET last_ticket = last_ticket + 1, quiet = false WHERE name = in_name;
      SELECT last_ticket INTO w_ticket FROM holdfast_lock WHERE name = in_name;
      INSERT INTO holdfast_waiter (name, ticket, owner, ttl_ms, heartbeat_ms, silent_at, host, pid, purpose, since)
        VALUES (in_name, w_ticket, in_owner, in_ttl, in_heartbeat, ${later(`${SILENT_HEARTBEATS} * in_heartbeat`)},
          in_host, in_pid, in_purpose, ${NOW});
    END IF;
    IF NOT l_held AND NOT l_alone THEN
      CALL holdfast_hand_over_1(in_name);
      ${TAKE}
      IF l_owner = in_owner THEN
        UPDATE holdfast_lock SET ends_at = ${later('in_ttl')}, claim_ms = NULL WHERE name = in_name;
        ${answer("CONCAT_WS(' ', 'granted', l_token, in_ttl)")}
      END IF;
    END IF;
  END IF;

  IF l_alone THEN
    UPDATE holdfast_lock SET ${GRANT} WHERE name = in_name;
    ${answer("CONCAT_WS(' ', 'granted', l_token + 1, in_ttl)")}
  END IF;
  SET l_left = GREATEST(0, CEIL(TIMESTAMPDIFF(MICROSECOND, ${NOW}, l_ends) / 1000));
  IF in_step = 'try' THEN
    ${answer("CONCAT_WS(' ', 'busy', l_left)")}
  END IF;
  SELECT MIN(ticket) INTO w_first FROM holdfast_waiter WHERE name = in_name;
  ${answer("CONCAT_WS(' ', 'waiting', l_token, IF(w_ticket > w_first, '-', l_left))")}`,
  ),

  // One attempt ('try'), or one step of waiting ('enter', 'stay').
  procedure(
    'acquire',
    `in_step varbinary(8), ${ASKER}`,
    'DECLARE l_token bigint;',
    `${LEFT_OPEN}
  IF in_step <> 'stay' THEN
    UPDATE holdfast_lock SET ${GRANT}
      WHERE name = in_name AND quiet AND (owner IS NULL OR ends_at <= ${NOW});
    IF ROW_COUNT() > 0 THEN
      SET l_token = LAST_INSERT_ID();
      ${answer("CONCAT_WS(' ', 'granted', l_token, in_ttl)")}
    END IF;
  END IF;
  ${BEGIN}
  CALL holdfast_acquire_slowly_1(in_step, in_name, in_owner, in_ttl, in_heartbeat, in_purpose, in_channel, in_host, in_pid);`,
  ),

  procedure(
    'release',
    'in_name varbinary(512), in_owner varbinary(255)',
    ROW,
    `${LEFT_OPEN}
  UPDATE holdfast_lock SET owner = NULL, ends_at = NULL, claim_ms = NULL
    WHERE name = in_name AND owner = in_owner AND ends_at > ${NOW} AND quiet;
  IF ROW_COUNT() > 0 THEN
    ${answer("'released'")}
  END IF;
  ${BEGIN}
  ${TAKE}
  IF l_held AND l_owner = in_owner THEN
    CALL holdfast_hand_over_1(in_name);
    ${answer("'released'")}
  END IF;
  ${answer("'not-held'")}`,
  ),

  // Input: [{"n": name, "o": owner, "t": ttl}]. Gives a letter for each, in order: r renewed, l lost, b broken.
  procedure(
    'renew',
    'in_holds longtext CHARACTER SET utf8mb4',
    'DECLARE l_count int; DECLARE l_answer longtext;',
    `${BEGIN}
  IF @@group_concat_max_len < 65536 THEN SET SESSION group_concat_max_len = 65536; END IF;
  -- In the order of names, so that two of these never wait for each other.
  SELECT COUNT(*) INTO l_count FROM (SELECT name FROM holdfast_lock
    WHERE name IN (${holds('h.n')}) ORDER BY name FOR UPDATE) AS taken;
  UPDATE holdfast_lock l JOIN (${holds('*')}) AS h ON l.name = h.n AND l.owner = h.o AND l.ends_at > ${NOW}
    SET l.ends_at = ${later('h.t')}, l.claim_ms = NULL;
  SELECT GROUP_CONCAT(CASE WHEN l.owner = h.o AND l.ends_at > ${NOW} THEN 'r' WHEN l.broken_owner = h.o THEN 'b' ELSE 'l' END
      ORDER BY h.place SEPARATOR '') INTO l_answer
    FROM (${holds('*')}) AS h LEFT JOIN holdfast_lock l ON l.name = h.n;
  ${answer('l_answer')}`,
  ),

  procedure(
    'withdraw',
    'in_name varbinary(512), in_owner varbinary(255), in_may_arrive_late boolean',
    ROW,
    `${BEGIN}
  IF in_may_arrive_late THEN
    ${MAKE}
    UPDATE holdfast_lock SET quiet = false WHERE name = in_name;
    DELETE FROM holdfast_withdrawn WHERE until <= ${NOW};
    INSERT INTO holdfast_withdrawn VALUES (in_name, in_owner, ${later(String(TOMBSTONE_MS))})
      ON DUPLICATE KEY UPDATE until = ${later(String(TOMBSTONE_MS))};
  END IF;
  ${TAKE}
  DELETE FROM holdfast_waiter WHERE name = in_name AND owner = in_owner;
  IF l_held AND l_owner = in_owner THEN
    CALL holdfast_hand_over_1(in_name);
  END IF;
  ${answer("'done'")}`,
  ),

  // From one owner to another of the same process, unless somebody waits.
  procedure(
    'transfer',
    `in_name varbinary(512), in_from varbinary(255), ${ASKER.replace('in_name varbinary(512), ', '')}`,
    ROW,
    `${LEFT_OPEN}
  UPDATE holdfast_lock SET ${GRANT} WHERE name = in_name AND quiet AND owner = in_from AND ends_at > ${NOW};
  IF ROW_COUNT() > 0 THEN
    SET l_token = LAST_INSERT_ID();
    ${answer("CONCAT_WS(' ', 'granted', l_token, in_ttl)")}
  END IF;
  ${BEGIN}
  ${TAKE}
  IF l_held AND l_owner = in_from THEN
    CALL holdfast_hand_over_1(in_name);
  ELSEIF NOT (l_held AND l_owner = in_owner)
      AND NOT EXISTS (SELECT 1 FROM holdfast_waiter WHERE name = in_name AND owner = in_owner AND silent_at > ${NOW}) THEN
    ${answer("'not-held'")}
  END IF;
  CALL holdfast_acquire_slowly_1('enter', in_name, in_owner, in_ttl, in_heartbeat, in_purpose, in_channel, in_host, in_pid);`,
  ),

  // Gives JSON: the number that guards are to be raised to, and who had the lock.
  procedure(
    'break',
    'in_name varbinary(512)',
    `${ROW}
  DECLARE l_answer longtext CHARACTER SET utf8mb4;`,
    `${BEGIN}
  ${MAKE}
  ${TAKE}
  SELECT JSON_OBJECT('raiseTo', CAST(token + 1 AS CHAR), 'holder', IF(l_held, JSON_OBJECT(
      'owner', CONVERT(owner USING utf8mb4), 'token', CAST(token AS CHAR), 'host', CONVERT(host USING utf8mb4),
      'pid', pid, 'purpose', CONVERT(purpose USING utf8mb4),
      'since', TIMESTAMPDIFF(MICROSECOND, '1970-01-01', since) / 1000,
      'remaining', TIMESTAMPDIFF(MICROSECOND, ${NOW}, ends_at) / 1000), NULL)) INTO l_answer
    FROM holdfast_lock WHERE name = in_name;
  UPDATE holdfast_lock SET token = token + 1, broken_owner = IF(l_held, owner, broken_owner) WHERE name = in_name;
  CALL holdfast_hand_over_1(in_name);
  ${answer('l_answer')}`,
  ),

  // Input: [{"n": name, "o": owner}]. Gives the rows of those who were handed their lock and have not said so, and of
  // those who wait, with how many tickets there are before theirs.
  procedure(
    'handed_over',
    'in_wanted longtext CHARACTER SET utf8mb4',
    '',
    `${BEGIN}
  SELECT l.owner, CAST(l.token AS CHAR) AS token, l.claim_ms AS claim, NULL AS ahead
    FROM (${holds('*', 'in_wanted')}) AS h JOIN holdfast_lock l ON l.name = h.n AND l.owner = h.o
    WHERE l.claim_ms IS NOT NULL AND l.ends_at > ${NOW}
  UNION ALL
  SELECT w.owner, NULL, NULL, w.ticket - (SELECT MIN(f.ticket) FROM holdfast_waiter f WHERE f.name = w.name)
    FROM (${holds('*', 'in_wanted')}) AS h JOIN holdfast_waiter w ON w.name = h.n AND w.owner = h.o;
  ${COMMIT};`,
  ),
];

/** The holds that travel as JSON, as rows { place, n, o, t }; names and owners as the bytes that the tables have. */
function holds(columns: string, from = 'in_holds'): string {
  const text = 'varchar(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';
  return `SELECT ${columns} FROM (SELECT place, CAST(n AS BINARY) AS n, CAST(o AS BINARY) AS o, t FROM JSON_TABLE(${from}, '$[*]'
    COLUMNS (place FOR ORDINALITY, n ${text} PATH '$.n', o ${text} PATH '$.o', t int PATH '$.t')) AS j) AS h`;
}
