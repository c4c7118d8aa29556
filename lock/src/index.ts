/**
 * Distributed locks that tell you when you have lost them.
 *
 * @module
 */
export type {
  AcquireRequest,
  Backend,
  Breaks,
  Busy,
  Fences,
  Gone,
  Granted,
  Guarantee,
  Hold,
  Inspects,
  LockReport,
  Notifies,
  OwnerId,
  OwnerReport,
  Queues,
  ReleaseAnswer,
  RenewAnswer,
  Renews,
  ReportsLoss,
  Transfers,
  Waiting,
  Withdraws,
} from './core/backend.ts';
export {
  breaks,
  fences,
  inspects,
  notifies,
  queues,
  renews,
  reportsLoss,
  transfers,
  withdraws,
} from './core/backend.ts';
export { type CancelTimer, type Clock, Instant, systemClock } from './core/clock.ts';
export {
  BackendUnavailableError,
  LeaseLostError,
  LockBusyError,
  LockError,
  type LockErrorCode,
  type LossReason,
  OutcomeUnknownError,
} from './core/errors.ts';
export type { LockEvents } from './core/events.ts';
export { parseToken, StaleTokenError } from './core/fencing.ts';
export type { FencedLease, Lease, LeaseState } from './core/lease.ts';
export {
  type AcquireOptions,
  type CloseOptions,
  createLocks,
  type LeaseOf,
  type Lock,
  type LockOptions,
  type Locks,
  type LocksOptions,
} from './core/lock.ts';
