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
  readonly lastToken: bigint;
  /** The rest of the holder's TTL; only the first in line is told. */
  readonly remainingMs: number | undefined;
  readonly layout: Layout;
  /** Where the release of a holder of the layout `hash` is told. */
  readonly channel: string | undefined;
}

/** `granted <token>`, or undefined if the reply is another. */
export function readGranted(reply: string, ttlMs: number): Granted | undefined {
  if (!reply.startsWith('granted ')) return undefined;
  return { outcome: 'granted', ttlMs, fencingToken: parseToken(reply.slice('granted '.length)) };
}

/** `waiting <last token>`, with ` <rest>` for the first in line, and then with ` string` or ` hash <channel>`. */
export function readWaiting(reply: string): WaitingReply | undefined {
  const [, lastToken, remaining, layout = 'ours', channel] = WAITING.exec(reply) ?? [];
  if (lastToken === undefined) return undefined;
  const remainingMs = remaining === undefined ? undefined : Number(remaining);
  return { lastToken: parseToken(lastToken), remainingMs, layout: layout as Layout, channel };
}

const WAITING = /^waiting (\d+)(?: (\d+)(?: (string|hash)(?: (.*))?)?)?$/s;

/** A message in the inbox of this process. */
export type InboxMessage =
  | { readonly about: string; readonly what: 'step' | 'broken' }
  | { readonly about: string; readonly what: 'granted'; readonly granted: Granted };

/** `granted <token> <ttl> <owner>`, `step <owner>` or `broken <owner>`; anything else is not for us. */
export function readInboxMessage(message: string): InboxMessage | undefined {
  const [, token, ttl, receiver] = /^granted (\d+) (\d+) (.*)$/s.exec(message) ?? [];
  if (token !== undefined && receiver !== undefined) {
    const granted: Granted = { outcome: 'granted', ttlMs: Number(ttl), fencingToken: parseToken(token) };
    return { about: receiver, what: 'granted', granted };
  }
  const [, what, about] = /^(step|broken) (.*)$/s.exec(message) ?? [];
  return about === undefined ? undefined : { about, what: what as 'step' | 'broken' };
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
  const sinceMs = Number(pairs.get('since') ?? token) / 1000;
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
  const [, pid, host, purpose] = WHO.exec(who ?? '') ?? [];
  return {
    owner,
    host,
    pid: pid === undefined ? undefined : Number(pid),
    purpose,
    since: sinceMs === undefined ? undefined : new Date(sinceMs),
  };
}

/** What a process says about an owner, in the lock and in the queue: inbox, pid, host, and the purpose, if it has one. */
export function describeOwner(inbox: string, pid: number, host: string, purpose: string | undefined): string {
  const who = `${inbox} ${pid} ${host.replaceAll(' ', '_')}`;
  return purpose === undefined ? who : `${who} ${purpose}`;
}

const WHO = /^\S+ (\d+) (\S*)(?: (.*))?$/s;
