/**
 * What a program can watch: one `node:diagnostics_channel` for each kind of event. Without a subscriber an event costs
 * a property read. Subscribers run inside Holdfast's own turn: they should be quick and must not throw.
 *
 * @module
 */
import { type Channel, channel } from 'node:diagnostics_channel';
import type { LossReason } from './errors.ts';

/** The events, by the name of their channel. */
export interface LockEvents {
  /** One question to the backend whether the lock can be had. */
  'holdfast:attempt': {
    readonly backend: string;
    readonly lockName: string;
    readonly owner: string;
    readonly outcome: AttemptOutcome;
    readonly tookMs: number;
  };
  /** A lease was given to a caller, `waitedMs` after it asked. */
  'holdfast:grant': {
    readonly backend: string;
    readonly lockName: string;
    readonly owner: string;
    readonly fencingToken: bigint | undefined;
    readonly waitedMs: number;
  };
  /** A wait has ended without a lease: `code` says why. */
  'holdfast:wait-ended': {
    readonly backend: string;
    readonly lockName: string;
    readonly code: string;
    readonly waitedMs: number;
  };
  /** A renewal was answered, or was not; `slackMs` is what was left of the lease when it was sent. */
  'holdfast:renewal': {
    readonly backend: string;
    readonly lockName: string;
    readonly owner: string;
    readonly outcome: 'renewed' | 'held' | 'lost' | 'unknown';
    readonly slackMs: number;
  };
  /** A lease was lost. */
  'holdfast:loss': {
    readonly backend: string;
    readonly lockName: string;
    readonly owner: string;
    readonly reason: LossReason;
    readonly heldMs: number;
  };
  /** A lease was given back; `error` is set where the backend did not confirm it. */
  'holdfast:release': {
    readonly backend: string;
    readonly lockName: string;
    readonly owner: string;
    readonly heldMs: number;
    readonly error?: unknown;
  };
}

type AttemptOutcome = 'granted' | 'busy' | 'waiting' | 'gone' | 'error';

const channels: { readonly [Name in keyof LockEvents]: Channel<LockEvents[Name], unknown> } = {
  'holdfast:attempt': channel('holdfast:attempt'),
  'holdfast:grant': channel('holdfast:grant'),
  'holdfast:wait-ended': channel('holdfast:wait-ended'),
  'holdfast:renewal': channel('holdfast:renewal'),
  'holdfast:loss': channel('holdfast:loss'),
  'holdfast:release': channel('holdfast:release'),
};

/** Publishes an event if anybody listens; `describe` runs only then. */
export function publish<Name extends keyof LockEvents>(name: Name, describe: () => LockEvents[Name]): void {
  const target = channels[name];
  if (target.hasSubscribers) target.publish(describe());
}
