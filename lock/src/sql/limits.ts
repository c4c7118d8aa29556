/** The same for all databases, and the same as in memory. */

/** A waiter that has been silent for this many heartbeats is dead. */
export const SILENT_HEARTBEATS = 3;

/** A hand-over may meet a waiter that has just died: it is good for this many heartbeats until it is renewed. */
export const CLAIM_HEARTBEATS = 2;

/** For how long a withdrawn owner id is refused: longer than any request can still be under way. */
export const TOMBSTONE_MS = 600_000;
