/**
 * The scripts answer in words, so that all clients and both protocol versions give the same; a fencing token stays a
 * string until here, since it may not fit a JavaScript number. These functions read them.
 *
 * @module
 */
import type { Granted, LockReport, OwnerReport } from '../../core/backend.ts';
import { parseToken } from '../../core/fencing.ts';

/** How a holder keeps the lock: in our layout, or as clients of another layout do. */
export type Layout = 'ours' | 'string' | 'hash';

/** What a waiter was told, beyond having to wait. */
export interface WaitingReply {
  /** The rest of the holder's TTL; only the first in line is told. */
  readonly remainingMs: number | undefined;
  readonly layout: Layout;
  /** Where the release of a holder of the layout `hash` is told. */
  readonly channel: string | undefined;
}

/** What a process says about an owner, as `who` in the lock and in the queue. */
export interface Who {
  readonly inbox: string;
  readonly host: string;
  readonly pid: number;
  readonly purpose?: string;
}

/** `granted <ttl> <token>`, or undefined if the reply is another. */
export function readGranted(reply: string): Granted | undefined {
  if (!reply.startsWith('granted ')) return undefined;
  const space = reply.indexOf(' ', 8);
  return {
    outcome: 'granted',
    ttlMs: Number(reply.slice(8, space)),
    fencingToken: parseToken(reply.slice(space + 1)),
  };
}

/** `waiting`, `waiting <rest>`, `waiting <rest> string` or `waiting <rest> hash <channel>`. */
export function readWaiting(reply: string): WaitingReply | undefined {
  const [word, remaining, layout = 'ours'] = reply.split(' ', 3);
  if (word !== 'waiting') return undefined;
  const beforeChannel = `waiting ${remaining} hash `;
  return {
    remainingMs: remaining === undefined ? undefined : Number(remaining),
    layout: layout as Layout,
    channel: layout === 'hash' ? reply.slice(beforeChannel.length) : undefined,
  };
}

/** A message in the inbox of this process. */
export type InboxMessage =
  | { readonly about: string; readonly what: 'step' | 'broken' }
  | { readonly about: string; readonly what: 'granted'; readonly granted: Granted };

/** `granted <ttl> <token> <owner>`, `step <owner>` or `broken <owner>`; anything else is not for us. */
export function readInboxMessage(message: string): InboxMessage | undefined {
  const [, grant, about] = /^(granted \d+ \d+) (.*)$/s.exec(message) ?? [];
  const granted = grant === undefined ? undefined : readGranted(grant);
  if (granted !== undefined && about !== undefined) return { about, what: 'granted', granted };
  const [, what, owner] = /^(step|broken) (.*)$/s.exec(message) ?? [];
  return owner === undefined ? undefined : { about: owner, what: what as 'step' | 'broken' };
}

interface Inspection {
  readonly kind: string;
  readonly remaining: number;
  readonly fields: readonly string[];
  readonly now: string;
  readonly waiters: readonly string[];
}

/** The report that `inspect.lua` gives the facts for. */
export function readInspection(name: string, json: string): LockReport {
  const { kind, remaining, fields, now, waiters } = JSON.parse(json) as Inspection;
  return { name, holder: readHolder(kind, remaining, list(fields)), waiters: readWaiters(list(waiters), Number(now)) };
}

/** An empty table is an object in the server's JSON. */
function list(value: readonly string[]): readonly string[] {
  return Array.isArray(value) ? value : [];
}

const OWN_FIELDS = ['token', 'who', 'turns', 'since'];

function readHolder(kind: string, remaining: number, fields: readonly string[]): LockReport['holder'] {
  if (kind === 'none') return null;
  const remainingMs = remaining >= 0 ? remaining : undefined;
  const pairs = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) pairs.set(fields[at] as string, fields[at + 1] as string);
  const token = kind === 'hash' ? pairs.get('token') : undefined;
  if (token === undefined) {
    const owner = kind === 'string' || kind === 'hash' ? (fields[0] ?? '?') : '?';
    return { ...report(owner, undefined, undefined), fencingToken: undefined, remainingMs, foreign: true };
  }
  const owner = [...pairs.keys()].find((field) => !OWN_FIELDS.includes(field)) ?? '?';
  // A token is the time of its grant in microseconds, unless the counter was ahead of the clock.
  const sinceMs = Number(pairs.get('since') ?? Number(token) / 1000);
  return { ...report(owner, pairs.get('who'), sinceMs), fencingToken: parseToken(token), remainingMs, foreign: false };
}

function readWaiters(entries: readonly string[], now: number): readonly OwnerReport[] {
  const reports: OwnerReport[] = [];
  for (let at = 0; at + 1 < entries.length; at += 2) {
    const [, silentUntil, since, who] = /^(\d+) (\d+) \d+ \d+ (.*)$/s.exec(entries[at + 1] as string) ?? [];
    if (Number(silentUntil) > now) reports.push(report(entries[at] as string, who, Number(since)));
  }
  return reports;
}

function report(owner: string, who: string | undefined, sinceMs: number | undefined): OwnerReport {
  const { host, pid, purpose } = readWho(who);
  return { owner, host, pid, purpose, since: sinceMs === undefined ? undefined : new Date(sinceMs) };
}

function readWho(json: string | undefined): Partial<Who> {
  try {
    return json === undefined ? {} : (JSON.parse(json) as Who);
  } catch {
    return {}; // somebody else's
  }
}
