/**
 * One listener on a client that was handed in, for all backends on that client: a program may make many, and Node warns
 * of the eleventh listener as of a leak.
 *
 * @module
 */

// biome-ignore lint/suspicious/noExplicitAny: what an event carries is the client's own
type Listener = (...values: any[]) => void;

/** The members of an emitter that we use. */
export interface Emitter {
  on(event: string, listener: Listener): unknown;
  removeListener?(event: string, listener: Listener): unknown;
  off?(event: string, listener: Listener): unknown;
}

interface Shared {
  readonly listeners: Set<Listener>;
  readonly listener: Listener;
}

const emitters: WeakMap<Emitter, Map<string, Shared>> = new WeakMap();

/** Calls back at each such event, until the returned function is called. */
export function listenTogether(emitter: Emitter, event: string, listener: Listener): () => void {
  const events = emitters.get(emitter) ?? new Map<string, Shared>();
  emitters.set(emitter, events);
  const shared = events.get(event) ?? begin(emitter, events, event);
  const own: Listener = (...values) => listener(...values); // so that the same one twice is two
  shared.listeners.add(own);
  return () => {
    if (!shared.listeners.delete(own) || shared.listeners.size > 0) return;
    events.delete(event);
    (emitter.off ?? emitter.removeListener)?.call(emitter, event, shared.listener);
  };
}

function begin(emitter: Emitter, events: Map<string, Shared>, event: string): Shared {
  const listeners: Set<Listener> = new Set();
  const shared: Shared = {
    listeners,
    listener: (...values) => {
      for (const each of [...listeners]) each(...values);
    },
  };
  events.set(event, shared);
  emitter.on(event, shared.listener);
  return shared;
}
