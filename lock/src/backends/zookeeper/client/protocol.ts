/**
 * What goes over the wire: the numbers of the operations, the records, and the special transaction ids. Written for
 * ZooKeeper 3.6 and newer, with the differences of 3.9 (in the answer to `multi`).
 *
 * @module
 */
import { type JuteReader, JuteWriter } from './jute.ts';

export const OpCode = {
  create: 1,
  delete: 2,
  exists: 3,
  getData: 4,
  setData: 5,
  getAcl: 6,
  sync: 9,
  ping: 11,
  getChildren2: 12,
  check: 13,
  multi: 14,
  create2: 15,
  removeWatches: 18,
  createContainer: 19,
  auth: 100,
  setWatches: 101,
  setWatches2: 105,
  addWatch: 106,
  closeSession: -11,
  error: -1,
} as const;

/** Transaction ids that mean something; those of requests count up from 1. */
export const Xid = { event: -1, ping: -2, auth: -4, setWatches: -8 } as const;

/** How a node is made. A container goes by itself some time after its last child has gone. */
export const CreateMode = { persistent: 0, ephemeralSequential: 3, container: 4 } as const;
export type CreateMode = (typeof CreateMode)[keyof typeof CreateMode];

export const EventType = { created: 1, deleted: 2, dataChanged: 3, childrenChanged: 4 } as const;

export interface Stat {
  /** The zxid of the transaction that made the node: unique, and growing for as long as the ensemble lives. */
  readonly czxid: bigint;
  readonly mzxid: bigint;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
  readonly version: number;
  readonly childVersion: number;
  readonly aclVersion: number;
  /** The session on whose end the node goes. 0 for nodes that stay, the smallest number for containers. */
  readonly ephemeralOwner: bigint;
  readonly dataLength: number;
  readonly childCount: number;
  readonly pzxid: bigint;
}

export function readStat(reader: JuteReader): Stat {
  return {
    czxid: reader.long(),
    mzxid: reader.long(),
    createdAt: new Date(Number(reader.long())),
    modifiedAt: new Date(Number(reader.long())),
    version: reader.int(),
    childVersion: reader.int(),
    aclVersion: reader.int(),
    ephemeralOwner: reader.long(),
    dataLength: reader.int(),
    childCount: reader.int(),
    pzxid: reader.long(),
  };
}

/** Who may do what with a node; permissions are the sum of read 1, write 2, create 4, delete 8, admin 16. */
export interface Acl {
  readonly permissions: number;
  readonly scheme: string;
  readonly id: string;
}

/** Anybody may do anything. */
export const OPEN_ACL: readonly Acl[] = [{ permissions: 31, scheme: 'world', id: 'anyone' }];

/** Whoever made the node may do anything, and nobody else may do anything, not even read. */
export const CREATOR_ACL: readonly Acl[] = [{ permissions: 31, scheme: 'auth', id: '' }];

export function writeAcl(writer: JuteWriter, acl: readonly Acl[]): void {
  writer.vector(acl, (each, { permissions, scheme, id }) => each.int(permissions).string(scheme).string(id));
}

export function readAcl(reader: JuteReader): Acl[] {
  return reader.vector((each) => ({ permissions: each.int(), scheme: each.string(), id: each.string() }));
}

export interface ReplyHeader {
  readonly xid: number;
  readonly zxid: bigint;
  readonly error: number;
}

export function readReplyHeader(reader: JuteReader): ReplyHeader {
  return { xid: reader.int(), zxid: reader.long(), error: reader.int() };
}

/** Something happened to a node that was watched. */
export interface WatchEvent {
  readonly type: number;
  readonly path: string;
}

export function readWatchEvent(reader: JuteReader): WatchEvent {
  const type = reader.int();
  reader.int(); // the state of the session, which we know better
  return { type, path: reader.string() };
}

/** What names a session to the server. */
export interface SessionId {
  readonly id: bigint;
  readonly password: Buffer;
}

export const NO_SESSION: SessionId = { id: 0n, password: Buffer.alloc(16) };

export interface ConnectRequest {
  readonly session: SessionId;
  readonly timeoutMs: number;
  /** A server that has not seen this zxid yet refuses us, so that we never look back in time. */
  readonly lastZxid: bigint;
}

export function connectFrame({ session, timeoutMs, lastZxid }: ConnectRequest): Buffer {
  return new JuteWriter()
    .int(0) // the version of the protocol
    .long(lastZxid)
    .int(timeoutMs)
    .long(session.id)
    .buffer(session.password)
    .bool(false) // no server that has lost its quorum
    .frame();
}

/** The answer to it. A session that is over has the timeout 0. */
export function readConnectResponse(reader: JuteReader): { timeoutMs: number; session: SessionId } {
  reader.int();
  const timeoutMs = reader.int();
  return { timeoutMs, session: { id: reader.long(), password: reader.buffer() } };
}
