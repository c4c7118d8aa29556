/**
 * How locks and owners are called in the tree of ZooKeeper, and what a contender's node says to people.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { AcquireRequest, OwnerId } from '../../core/backend.ts';
import { isRefused } from './client/paths.ts';
import type { Stat } from './client/protocol.ts';

const HOST = hostname();

/** What the server says in place of a session for a container. */
const CONTAINER = -(2n ** 63n);

/** The name of a lock as one part of a path. Names of letters, digits and signs stay as they are. */
export function toPart(name: string): string {
  if (name === '.' || name === '..') return name.replaceAll('.', '%2E');
  return [...name].map((sign) => (isCoded(sign) ? encodeURIComponent(sign) : sign)).join('');
}

/** What a path may not contain, the slash that would make it two parts, and the sign of the code itself. */
function isCoded(sign: string): boolean {
  return sign === '/' || sign === '%' || sign.length > 1 || isRefused(sign.charCodeAt(0));
}

/** The name of the lock, or the part itself if somebody else has made it. */
export function fromPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * How the node of an owner begins. Curator puts a random UUID there, to find its own node again after a lost reply. Ours
 * comes from the owner id and the session: asking again finds the same node, and one of an older session never fits.
 */
export function nodePrefix(owner: OwnerId, session: bigint): string {
  const hex = createHash('sha256')
    .update(`${session.toString(16)} ${owner}`)
    .digest('hex');
  const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  return `_c_${uuid}-lock-`;
}

/** Whether a node goes with a session, as those of contenders do. All others are somebody's data, and would stay for ever. */
export function isOfSession({ ephemeralOwner }: Stat): boolean {
  return ephemeralOwner !== 0n && ephemeralOwner !== CONTAINER;
}

/** What a node says about its owner. */
export interface NodeReport {
  readonly owner: OwnerId;
  readonly host: string | undefined;
  readonly pid: number | undefined;
  readonly purpose: string | undefined;
  /** Somebody else than Holdfast made it. */
  readonly foreign: boolean;
}

export function nodeData({ owner, purpose }: AcquireRequest): Buffer {
  return Buffer.from(JSON.stringify({ holdfast: 1, owner, host: HOST, pid: process.pid, purpose }));
}

/** Reads what `nodeData` writes. For the nodes of others the name is the owner; Curator writes its address as data. */
export function readNode(node: string, data: Buffer): NodeReport {
  const text = data.toString('utf8');
  try {
    const { holdfast, owner, host, pid, purpose } = JSON.parse(text) as Record<string, unknown>;
    if (holdfast === 1 && typeof owner === 'string') {
      return {
        owner,
        host: typeof host === 'string' ? host : undefined,
        pid: typeof pid === 'number' ? pid : undefined,
        purpose: typeof purpose === 'string' ? purpose : undefined,
        foreign: false,
      };
    }
  } catch {
    // not ours
  }
  const host = /^[\w.:-]{1,255}$/.test(text) ? text : undefined;
  return { owner: node, host, pid: undefined, purpose: undefined, foreign: true };
}
