/**
 * The rows of the tables, and what a step makes of them, as values.
 *
 * @module
 */
import type { Granted, Waiting } from '../../core/backend.ts';
import type { InstanceId } from './liveness.ts';

export interface LeaseRow {
  readonly name: string;
  readonly owner: string;
  readonly instance: InstanceId;
  readonly token: string;
  readonly grantedMs: number;
  readonly endsMs: number;
  readonly claimed: number;
  readonly purpose: string | null;
  readonly sinceAt: number;
}

export interface WaiterRow {
  readonly name: string;
  readonly ticket: number;
  readonly owner: string;
  readonly instance: InstanceId;
  readonly ttlMs: number;
  readonly heartbeatMs: number;
  readonly silentMs: number;
  readonly purpose: string | null;
  readonly sinceAt: number;
}

export interface InstanceRow {
  readonly id: InstanceId;
  readonly inode: string;
  readonly host: string;
  readonly pid: number;
}

/** What an instance has to be told. */
export type Notice = { readonly to: InstanceId; readonly owner: string } & (
  | { readonly news: 'granted'; readonly granted: Granted }
  | { readonly news: 'broken' }
  | { readonly news: 'moved-up' }
);

/** Where a waiter stands: behind whom it waits, and until when at the latest if it is the first. */
export interface Place {
  readonly waiting: Waiting;
  readonly behind: InstanceRow | undefined;
}

/** The clocks and the instance on whose behalf a transaction runs. */
export interface TableContext {
  readonly instance: InstanceId;
  /** The machine's monotonic clock. */
  readonly nowMs: number;
  readonly wallMs: number;
}
