import type { AcquireRequest, Backend } from '../../core/backend.ts';
import * as abilities from '../../core/backend.ts';
import { Instant, systemClock } from '../../core/clock.ts';
import { TTL_MS } from '../subject.ts';

let owners = 0;

/** A request as the core makes it, with an owner id that was never used. */
export function requestFor(name: string, changes: Partial<AcquireRequest> = {}): AcquireRequest {
  const owner = `contract-${process.pid}-${Date.now()}:${++owners}`;
  return { name, owner, ttlMs: TTL_MS, purpose: undefined, heartbeatMs: TTL_MS / 3, ...changes };
}

/** A deadline that is far enough for any answer. */
export function soon(): Instant {
  return Instant.plus(systemClock.now(), 5_000);
}

type Guard<Ability> = (backend: Backend) => backend is Backend & Ability;

/** The backend as one that can do something; otherwise the case fails with a sentence that says what to do. */
function need<Ability>(backend: Backend, guard: Guard<Ability>, what: string): Backend & Ability {
  if (guard(backend)) return backend;
  throw new Error(
    `The ${backend.id} backend has no ${what}. If that is right, name this case in doesNotApply, with the reason.`,
  );
}

export const needs: {
  readonly queue: (backend: Backend) => Backend & abilities.Queues;
  readonly renewal: (backend: Backend) => Backend & abilities.Renews;
  readonly withdrawal: (backend: Backend) => Backend & abilities.Withdraws;
  readonly transfer: (backend: Backend) => Backend & abilities.Transfers;
  readonly tokens: (backend: Backend) => Backend & abilities.Fences;
  readonly inspection: (backend: Backend) => Backend & abilities.Inspects;
  readonly breaking: (backend: Backend) => Backend & abilities.Breaks;
} = {
  queue: (backend) => need(backend, abilities.queues, 'queue'),
  renewal: (backend) => need(backend, abilities.renews, 'renewal'),
  withdrawal: (backend) => need(backend, abilities.withdraws, 'withdrawal'),
  transfer: (backend) => need(backend, abilities.transfers, 'transfer'),
  tokens: (backend) => need(backend, abilities.fences, 'fencing tokens'),
  inspection: (backend) => need(backend, abilities.inspects, 'inspection'),
  breaking: (backend) => need(backend, abilities.breaks, 'breaking'),
};
