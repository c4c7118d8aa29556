/**
 * The messages of etcd's v3 API that a lock needs, as far as it needs them. Field numbers are those of etcd's
 * `rpc.proto` and `kv.proto`, which etcd keeps.
 *
 * @module
 */
import { type Field, fieldsOf, signed, Writer } from './wire.ts';

export interface KeyValue {
  readonly key: string;
  readonly value: string;
  readonly createRevision: bigint;
  readonly lease: bigint;
}

export interface RangeRequest {
  readonly key: string | Uint8Array;
  readonly rangeEnd?: string | Uint8Array;
  readonly limit?: number;
  /** Read the state as it was then. */
  readonly revision?: bigint;
  readonly byCreateRevision?: 'ascending' | 'descending';
  readonly keysOnly?: boolean;
  readonly minCreateRevision?: bigint;
  readonly maxCreateRevision?: bigint;
}

export interface RangeResponse {
  readonly revision: bigint;
  readonly kvs: readonly KeyValue[];
  readonly more: boolean;
}

/** What must be so. Over a range it must be so of every key in it. */
export type Compare =
  | { readonly key: string; readonly rangeEnd?: string; readonly createRevision: bigint }
  | { readonly key: string; readonly value: string };

export type Operation =
  | { readonly range: RangeRequest }
  | { readonly put: { readonly key: string; readonly value: string; readonly lease: bigint } }
  | { readonly delete: { readonly key: string } };

export interface Transaction {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

export interface TransactionResponse {
  readonly revision: bigint;
  readonly succeeded: boolean;
  /** One for each operation, in order; empty where the operation was no range. */
  readonly ranges: readonly (readonly KeyValue[])[];
}

export interface WatchRequest {
  readonly id: bigint;
  readonly key: string;
  readonly startRevision: bigint;
}

export interface WatchResponse {
  readonly id: bigint;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compactRevision: bigint;
  readonly reason: string;
  /** Whether something happened that the watch asked for. */
  readonly hasEvents: boolean;
}

const EQUAL = 0;
const TARGET = { createRevision: 1, value: 3 };
const BY_CREATE_REVISION = 2;
const ORDER = { ascending: 1, descending: 2 };
/** The packed list of filters with the one filter NOPUT. */
const NO_PUTS = Buffer.of(0);

function range(request: RangeRequest): Writer {
  const order = request.byCreateRevision;
  return new Writer()
    .bytes(1, request.key)
    .bytes(2, request.rangeEnd)
    .number(3, request.limit)
    .int64(4, request.revision)
    .number(5, order && ORDER[order])
    .number(6, order && BY_CREATE_REVISION)
    .number(8, request.keysOnly)
    .int64(12, request.minCreateRevision)
    .int64(13, request.maxCreateRevision);
}

function compare(clause: Compare): Writer {
  const writer = new Writer().number(1, EQUAL);
  if ('value' in clause) return writer.number(2, TARGET.value).bytes(3, clause.key).bytes(7, clause.value);
  return writer
    .number(2, TARGET.createRevision)
    .bytes(3, clause.key)
    .int64(5, clause.createRevision)
    .bytes(64, clause.rangeEnd);
}

function operation(each: Operation): Writer {
  const writer = new Writer();
  if ('range' in each) return writer.message(1, range(each.range));
  if ('put' in each) {
    const { key, value, lease } = each.put;
    return writer.message(2, new Writer().bytes(1, key).bytes(2, value).int64(3, lease));
  }
  return writer.message(3, new Writer().bytes(1, each.delete.key));
}

export const encode: {
  readonly range: (request: RangeRequest) => Buffer;
  readonly transaction: (transaction: Transaction) => Buffer;
  readonly leaseGrant: (ttlS: number) => Buffer;
  readonly lease: (id: bigint) => Buffer;
  readonly authenticate: (name: string, password: string) => Buffer;
  readonly watch: (request: WatchRequest) => Buffer;
  readonly cancelWatch: (id: bigint) => Buffer;
} = {
  range: (request) => range(request).finish(),
  transaction: ({ compare: clauses, success, failure }) =>
    new Writer()
      .messages(1, clauses.map(compare))
      .messages(2, success.map(operation))
      .messages(3, failure.map(operation))
      .finish(),
  leaseGrant: (ttlS) => new Writer().number(1, ttlS).finish(),
  lease: (id) => new Writer().int64(1, id).finish(),
  authenticate: (name, password) => new Writer().bytes(1, name).bytes(2, password).finish(),
  watch: ({ id, key, startRevision }) =>
    new Writer().message(1, new Writer().bytes(1, key).int64(3, startRevision).bytes(5, NO_PUTS).int64(7, id)).finish(),
  cancelWatch: (id) => new Writer().message(2, new Writer().int64(1, id)).finish(),
};

export const decode: {
  readonly range: (message: Buffer) => RangeResponse;
  readonly transaction: (message: Buffer) => TransactionResponse;
  /** The answers to granting a lease and to keeping it alive. A TTL of 0 says that the lease is gone. */
  readonly lease: (message: Buffer) => { readonly id: bigint; readonly ttlS: number };
  readonly timeToLive: (message: Buffer) => { readonly ttlS: number };
  readonly authenticate: (message: Buffer) => string;
  readonly watch: (message: Buffer) => WatchResponse;
} = {
  range: rangeResponse,
  transaction: transactionResponse,
  lease: (message) => ({
    id: numbered(message, 2, signed) ?? 0n,
    ttlS: Number(numbered(message, 3, signed) ?? 0n),
  }),
  timeToLive: (message) => ({ ttlS: Number(numbered(message, 3, signed) ?? 0n) }),
  authenticate: (message) => numbered(message, 2, text) ?? '',
  watch: watchResponse,
};

/** The last field of that number, read; undefined if there is none. */
function numbered<Value>(message: Buffer, number: number, read: (field: Field) => Value): Value | undefined {
  let value: Value | undefined;
  for (const field of fieldsOf(message)) if (field.number === number) value = read(field);
  return value;
}

function text({ bytes }: Field): string {
  return bytes.toString('utf8');
}

/** Every answer opens with a header; the store's revision is its third field. */
function revisionOf(header: Buffer): bigint {
  return numbered(header, 3, signed) ?? 0n;
}

function keyValue(message: Buffer): KeyValue {
  let key = '';
  let value = '';
  let createRevision = 0n;
  let lease = 0n;
  for (const field of fieldsOf(message)) {
    if (field.number === 1) key = text(field);
    else if (field.number === 2) createRevision = signed(field);
    else if (field.number === 5) value = text(field);
    else if (field.number === 6) lease = signed(field);
  }
  return { key, value, createRevision, lease };
}

function rangeResponse(message: Buffer): RangeResponse {
  let revision = 0n;
  const kvs: KeyValue[] = [];
  let more = false;
  for (const field of fieldsOf(message)) {
    if (field.number === 1) revision = revisionOf(field.bytes);
    else if (field.number === 2) kvs.push(keyValue(field.bytes));
    else if (field.number === 3) more = field.int !== 0n;
  }
  return { revision, kvs, more };
}

function transactionResponse(message: Buffer): TransactionResponse {
  let revision = 0n;
  let succeeded = false;
  const ranges: (readonly KeyValue[])[] = [];
  for (const field of fieldsOf(message)) {
    if (field.number === 1) revision = revisionOf(field.bytes);
    else if (field.number === 2) succeeded = field.int !== 0n;
    else if (field.number === 3) {
      const inner = numbered(field.bytes, 1, ({ bytes }) => rangeResponse(bytes).kvs);
      ranges.push(inner ?? []);
    }
  }
  return { revision, succeeded, ranges };
}

function watchResponse(message: Buffer): WatchResponse {
  const response = { id: 0n, created: false, canceled: false, compactRevision: 0n, reason: '', hasEvents: false };
  for (const field of fieldsOf(message)) {
    if (field.number === 2) response.id = signed(field);
    else if (field.number === 3) response.created = field.int !== 0n;
    else if (field.number === 4) response.canceled = field.int !== 0n;
    else if (field.number === 5) response.compactRevision = signed(field);
    else if (field.number === 6) response.reason = text(field);
    else if (field.number === 11) response.hasEvents = true;
  }
  return response;
}
