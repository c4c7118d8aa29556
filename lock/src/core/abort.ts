/**
 * One listener per signal, however many calls share it: Node warns of a leak at the eleventh listener, and a program
 * that hands one signal to a thousand waits is right to do so.
 *
 * @module
 */
const callbacksOf: WeakMap<AbortSignal, { readonly callbacks: Set<() => void>; readonly listener: () => void }> =
  new WeakMap();

/** Calls back once when the signal aborts, until the returned function is called. The signal must not be aborted yet. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let entry = callbacksOf.get(signal);
  if (entry === undefined) {
    const callbacks = new Set<() => void>();
    const listener = (): void => {
      callbacksOf.delete(signal);
      for (const each of callbacks) each();
    };
    entry = { callbacks, listener };
    callbacksOf.set(signal, entry);
    signal.addEventListener('abort', listener, { once: true });
  }
  const { callbacks, listener } = entry;
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0 || callbacksOf.get(signal)?.callbacks !== callbacks) return;
    callbacksOf.delete(signal);
    signal.removeEventListener('abort', listener);
  };
}
