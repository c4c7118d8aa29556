/**
 * The steps as functions in PL/pgSQL: each call is one transaction and one round trip, and no row stays locked while a
 * client thinks, or is stopped. The number at the end of their names goes up when a step changes, so that processes
 * with an older Holdfast find theirs.
 *
 * Every step on a lock takes that lock's row, so steps on one lock go one after the other. A statement inside a function
 * sees what was committed before it began, so whatever is read after the row was taken is the truth. `enter` and
 * `withdraw` also write the row: under REPEATABLE READ or SERIALIZABLE a step that was overtaken by them then fails
 * with a serialization error, and is tried again, instead of going by an old snapshot.
 *
 * The answer is a line of words: `granted <token> <ttl>`, `busy <retry>`, `waiting <last token> <retry or ->`, `gone`,
 * `released`, `not-held`.
 *
 * @module
 */
import { CLAIM_HEARTBEATS, SILENT_HEARTBEATS, TOMBSTONE_MS } from '../../../sql/limits.ts';

/** Input: `prefix`, the schema with its dot, or nothing. */
export function steps(prefix: string): string {
  const fn = (name: string): string => `${prefix}holdfast_${name}_1`;
  const [lock, waiter, withdrawn] = ['lock', 'waiter', 'withdrawn'].map((name) => `${prefix}holdfast_${name}`);
  const ms = (expression: string): string => `(${expression}) * interval '1 millisecond'`;
  const create = (signature: string, returns: string, variables: string, body: string): string => `
CREATE OR REPLACE FUNCTION ${signature} RETURNS ${returns} LANGUAGE plpgsql AS $holdfast$
#variable_conflict use_column
DECLARE
  ${variables}
BEGIN${body}END $holdfast$;
`;

  return [
    // Takes the row of a lock, and makes it at the first use.
    create(
      `${fn('row')}(in_name text)`,
      `${lock}`,
      `l ${lock};`,
      `
  SELECT * INTO l FROM ${lock} WHERE name = in_name FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO ${lock} (name) VALUES (in_name) ON CONFLICT (name) DO NOTHING;
    SELECT * INTO STRICT l FROM ${lock} WHERE name = in_name FOR UPDATE;
  END IF;
  RETURN l;
`,
    ),

    // Gives a free lock to the first live waiter, and tells that one, unless it is the one who asks. The row is taken.
    create(
      `${fn('hand_over')}(in_name text, in_asking text)`,
      `${lock}`,
      `l ${lock}; w ${waiter}; claim integer;`,
      `
  DELETE FROM ${waiter} WHERE name = in_name AND silent_at <= clock_timestamp();
  DELETE FROM ${waiter} WHERE name = in_name
    AND ticket = (SELECT min(ticket) FROM ${waiter} WHERE name = in_name) RETURNING * INTO w;
  IF NOT FOUND THEN
    UPDATE ${lock} SET owner = NULL, ends_at = NULL, claim_ms = NULL,
        quiet = NOT EXISTS (SELECT FROM ${withdrawn} WHERE name = in_name AND until > clock_timestamp())
      WHERE name = in_name RETURNING * INTO l;
    RETURN l;
  END IF;
  claim := least(w.ttl_ms, ${CLAIM_HEARTBEATS} * w.heartbeat_ms);
  UPDATE ${lock} SET token = token + 1, owner = w.owner, ends_at = clock_timestamp() + ${ms('claim')}, claim_ms = claim,
      channel = w.channel, host = w.host, pid = w.pid, purpose = w.purpose, since = clock_timestamp()
    WHERE name = in_name RETURNING * INTO l;
  IF w.channel IS NOT NULL AND w.owner IS DISTINCT FROM in_asking THEN
    PERFORM pg_notify(w.channel, concat_ws(' ', 'granted', l.token, claim, w.owner));
  END IF;
  RETURN l;
`,
    ),

    // One attempt ('try'), or one step of waiting ('enter', 'stay').
    create(
      `${fn('acquire')}(in_step text, in_name text, in_owner text, in_ttl integer, in_heartbeat integer,
  in_purpose text, in_channel text, in_host text, in_pid integer)`,
      'text',
      `l ${lock}; w ${waiter}; held boolean; alone boolean := false; new_token bigint; place bigint;`,
      `
  IF in_step <> 'stay' THEN
    UPDATE ${lock} SET token = token + 1, owner = in_owner, ends_at = clock_timestamp() + ${ms('in_ttl')}, claim_ms = NULL,
        channel = in_channel, host = in_host, pid = in_pid, purpose = in_purpose, since = clock_timestamp()
      WHERE name = in_name AND quiet AND (owner IS NULL OR ends_at <= clock_timestamp()) RETURNING token INTO new_token;
    IF FOUND THEN RETURN concat_ws(' ', 'granted', new_token, in_ttl); END IF;
  END IF;
  l := ${fn('row')}(in_name);
  held := l.owner IS NOT NULL AND l.ends_at > clock_timestamp();

  IF EXISTS (SELECT FROM ${withdrawn} WHERE name = in_name AND owner = in_owner AND until > clock_timestamp()) THEN
    RETURN CASE in_step WHEN 'try' THEN concat_ws(' ', 'busy', in_ttl) ELSE 'gone' END;
  END IF;
  IF held AND l.owner = in_owner THEN
    UPDATE ${lock} SET ends_at = clock_timestamp() + ${ms('in_ttl')}, claim_ms = NULL WHERE name = in_name;
    RETURN concat_ws(' ', 'granted', l.token, in_ttl);
  END IF;

  IF in_step = 'try' THEN
    IF NOT held THEN
      l := ${fn('hand_over')}(in_name, NULL);
      alone := l.owner IS NULL;
    END IF;
  ELSE
    DELETE FROM ${waiter} WHERE name = in_name AND silent_at <= clock_timestamp();
    UPDATE ${waiter} SET silent_at = clock_timestamp() + ${ms(`${SILENT_HEARTBEATS} * in_heartbeat`)},
        ttl_ms = in_ttl, heartbeat_ms = in_heartbeat, channel = in_channel
      WHERE name = in_name AND owner = in_owner RETURNING * INTO w;
    IF NOT FOUND THEN
      IF in_step = 'stay' THEN RETURN 'gone'; END IF;
      alone := NOT held AND NOT EXISTS (SELECT FROM ${waiter} WHERE name = in_name);
      IF NOT alone THEN
        UPDATE ${lock} SET last_ticket = last_ticket + 1, quiet = false WHERE name = in_name RETURNING last_ticket INTO place;
        INSERT INTO ${waiter} VALUES (in_name, place, in_owner, in_ttl, in_heartbeat,
          clock_timestamp() + ${ms(`${SILENT_HEARTBEATS} * in_heartbeat`)}, in_channel, in_host, in_pid, in_purpose, clock_timestamp())
          RETURNING * INTO w;
      END IF;
    END IF;
    IF NOT held AND NOT alone THEN
      l := ${fn('hand_over')}(in_name, in_owner);
      IF l.owner = in_owner THEN
        UPDATE ${lock} SET ends_at = clock_timestamp() + ${ms('in_ttl')}, claim_ms = NULL WHERE name = in_name;
        RETURN concat_ws(' ', 'granted', l.token, in_ttl);
      END IF;
    END IF;
  END IF;

  IF alone THEN
    UPDATE ${lock} SET token = token + 1, owner = in_owner, ends_at = clock_timestamp() + ${ms('in_ttl')}, claim_ms = NULL,
        channel = in_channel, host = in_host, pid = in_pid, purpose = in_purpose, since = clock_timestamp()
      WHERE name = in_name RETURNING token INTO new_token;
    RETURN concat_ws(' ', 'granted', new_token, in_ttl);
  END IF;
  new_token := ceil(extract(epoch FROM l.ends_at - clock_timestamp()) * 1000); -- what is left of the hold
  IF in_step = 'try' THEN RETURN concat_ws(' ', 'busy', greatest(new_token, 0)); END IF;
  IF w.ticket > (SELECT min(ticket) FROM ${waiter} WHERE name = in_name) THEN
    RETURN concat_ws(' ', 'waiting', l.token, '-');
  END IF;
  RETURN concat_ws(' ', 'waiting', l.token, greatest(new_token, 0));
`,
    ),

    create(
      `${fn('release')}(in_name text, in_owner text)`,
      'text',
      `l ${lock};`,
      `
  UPDATE ${lock} SET owner = NULL, ends_at = NULL, claim_ms = NULL
    WHERE name = in_name AND owner = in_owner AND ends_at > clock_timestamp() AND quiet;
  IF FOUND THEN RETURN 'released'; END IF;
  SELECT * INTO l FROM ${lock} WHERE name = in_name FOR UPDATE;
  IF l.owner IS DISTINCT FROM in_owner OR l.ends_at <= clock_timestamp() THEN RETURN 'not-held'; END IF;
  PERFORM ${fn('hand_over')}(in_name, NULL);
  RETURN 'released';
`,
    ),

    // Input: [{"n": name, "o": owner, "t": ttl}]. Gives a letter for each, in order: r renewed, l lost, b broken.
    create(
      `${fn('renew')}(in_holds json)`,
      'text',
      'answer text;',
      `
  -- In the order of names, so that two of these never wait for each other.
  PERFORM FROM ${lock} WHERE name IN (SELECT h.n FROM json_to_recordset(in_holds) AS h(n text))
    ORDER BY name FOR UPDATE;
  UPDATE ${lock} SET ends_at = clock_timestamp() + ${ms('h.t')}, claim_ms = NULL
    FROM json_to_recordset(in_holds) AS h(n text, o text, t integer)
    WHERE name = h.n AND owner = h.o AND ends_at > clock_timestamp();
  SELECT string_agg(CASE WHEN owner = each.value->>'o' AND ends_at > clock_timestamp() THEN 'r'
      WHEN broken_owner = each.value->>'o' THEN 'b' ELSE 'l' END, '' ORDER BY each.ordinality) INTO answer
    FROM json_array_elements(in_holds) WITH ORDINALITY AS each LEFT JOIN ${lock} ON name = each.value->>'n';
  RETURN answer;
`,
    ),

    create(
      `${fn('withdraw')}(in_name text, in_owner text, in_may_arrive_late boolean)`,
      'text',
      `l ${lock};`,
      `
  IF in_may_arrive_late THEN
    PERFORM ${fn('row')}(in_name);
    UPDATE ${lock} SET quiet = false WHERE name = in_name;
    DELETE FROM ${withdrawn} WHERE until <= clock_timestamp();
    INSERT INTO ${withdrawn} VALUES (in_name, in_owner, clock_timestamp() + ${ms(String(TOMBSTONE_MS))})
      ON CONFLICT (name, owner) DO UPDATE SET until = excluded.until;
  END IF;
  SELECT * INTO l FROM ${lock} WHERE name = in_name FOR UPDATE;
  DELETE FROM ${waiter} WHERE name = in_name AND owner = in_owner;
  IF l.owner = in_owner AND l.ends_at > clock_timestamp() THEN PERFORM ${fn('hand_over')}(in_name, NULL); END IF;
  RETURN 'done';
`,
    ),

    // From one owner to another of the same process, unless somebody waits.
    create(
      `${fn('transfer')}(in_name text, in_from text, in_owner text, in_ttl integer, in_heartbeat integer,
  in_purpose text, in_channel text, in_host text, in_pid integer)`,
      'text',
      `l ${lock}; held boolean; new_token bigint;`,
      `
  UPDATE ${lock} SET token = token + 1, owner = in_owner, ends_at = clock_timestamp() + ${ms('in_ttl')}, claim_ms = NULL,
      channel = in_channel, host = in_host, pid = in_pid, purpose = in_purpose, since = clock_timestamp()
    WHERE name = in_name AND quiet AND owner = in_from AND ends_at > clock_timestamp() RETURNING token INTO new_token;
  IF FOUND THEN RETURN concat_ws(' ', 'granted', new_token, in_ttl); END IF;
  SELECT * INTO l FROM ${lock} WHERE name = in_name FOR UPDATE;
  held := l.owner IS NOT NULL AND l.ends_at > clock_timestamp();
  IF held AND l.owner = in_from THEN
    PERFORM ${fn('hand_over')}(in_name, NULL);
  ELSIF (held AND l.owner = in_owner) IS NOT TRUE
      AND NOT EXISTS (SELECT FROM ${waiter} WHERE name = in_name AND owner = in_owner AND silent_at > clock_timestamp()) THEN
    RETURN 'not-held';
  END IF;
  RETURN ${fn('acquire')}('enter', in_name, in_owner, in_ttl, in_heartbeat, in_purpose, in_channel, in_host, in_pid);
`,
    ),

    // Gives JSON: the number that guards are to be raised to, and who had the lock.
    create(
      `${fn('break')}(in_name text)`,
      'text',
      `l ${lock}; held boolean;`,
      `
  l := ${fn('row')}(in_name);
  held := l.owner IS NOT NULL AND l.ends_at > clock_timestamp();
  UPDATE ${lock} SET token = token + 1, broken_owner = CASE WHEN held THEN l.owner ELSE broken_owner END WHERE name = in_name;
  IF held AND l.channel IS NOT NULL THEN PERFORM pg_notify(l.channel, concat_ws(' ', 'broken', l.owner)); END IF;
  PERFORM ${fn('hand_over')}(in_name, NULL);
  RETURN json_build_object('raiseTo', (l.token + 1)::text, 'holder', CASE WHEN held THEN json_build_object(
    'owner', l.owner, 'token', l.token::text, 'host', l.host, 'pid', l.pid, 'purpose', l.purpose,
    'since', extract(epoch FROM l.since) * 1000,
    'remaining', extract(epoch FROM l.ends_at - clock_timestamp()) * 1000) END);
`,
    ),
  ].join('');
}
