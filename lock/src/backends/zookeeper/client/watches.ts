/**
 * What this client watches. The server forgets it with the connection, so that it is set again after each reconnect,
 * with the last zxid that we have seen: the server then sends the events that we have missed.
 *
 * @module
 */
import type { JuteWriter } from './jute.ts';
import { EventType, OpCode, type WatchEvent } from './protocol.ts';

export type WatchCallback = (event: WatchEvent) => void;

/** `exist` waits for a node that is not there; `data` for a change or the end of one that is. */
export type WatchKind = 'data' | 'exist' | 'child' | 'persistent' | 'recursive';

/** The kinds in the order in which `setWatches2` names them. */
const KINDS = ['data', 'exist', 'child', 'persistent', 'recursive'] as const;

/** Which kinds an event of a type ends, or is told to. */
const TOLD: Readonly<Record<number, readonly WatchKind[]>> = {
  [EventType.created]: ['data', 'exist'],
  [EventType.deleted]: ['data', 'exist', 'child'],
  [EventType.dataChanged]: ['data', 'exist'],
  [EventType.childrenChanged]: ['child'],
};

/** So many paths are set again in one request, which stays far below a server's limit of 1 MiB. */
const PATHS_AT_ONCE = 256;

export class Watches {
  readonly #byKind: Readonly<Record<WatchKind, Map<string, Set<WatchCallback>>>> = {
    data: new Map(),
    exist: new Map(),
    child: new Map(),
    persistent: new Map(),
    recursive: new Map(),
  };

  add(kind: WatchKind, path: string, callback: WatchCallback): void {
    const paths = this.#byKind[kind];
    const callbacks = paths.get(path);
    if (callbacks === undefined) paths.set(path, new Set([callback]));
    else callbacks.add(callback);
  }

  /** Whether it was there and the last one, so that the server can forget the path. */
  remove(kind: WatchKind, path: string, callback: WatchCallback): boolean {
    const callbacks = this.#byKind[kind].get(path);
    if (!callbacks?.delete(callback) || callbacks.size > 0) return false;
    this.#byKind[kind].delete(path);
    return true;
  }

  /** Calls back for an event. Those of one time are gone before they are called, so that they can watch anew. */
  tell(event: WatchEvent): void {
    const told: WatchCallback[] = [];
    for (const kind of TOLD[event.type] ?? []) {
      told.push(...(this.#byKind[kind].get(event.path) ?? []));
      this.#byKind[kind].delete(event.path);
    }
    told.push(...(this.#byKind.persistent.get(event.path) ?? []));
    if (event.type !== EventType.childrenChanged) {
      for (const [path, callbacks] of this.#byKind.recursive) {
        if (path === '/' || event.path === path || event.path.startsWith(`${path}/`)) told.push(...callbacks);
      }
    }
    for (const callback of told) callback(event);
  }

  clear(): void {
    for (const kind of KINDS) this.#byKind[kind].clear();
  }

  /** The requests that set everything again. Servers before 3.6 know no persistent watches, and are not asked for any. */
  toSetAgain(lastZxid: bigint): { opCode: number; write(writer: JuteWriter): void }[] {
    const all = KINDS.flatMap((kind) => [...this.#byKind[kind].keys()].map((path) => ({ kind, path })));
    const requests = [];
    for (let start = 0; start < all.length; start += PATHS_AT_ONCE) {
      const part = all.slice(start, start + PATHS_AT_ONCE);
      const isNew = part.some(({ kind }) => kind === 'persistent' || kind === 'recursive');
      const kinds = isNew ? KINDS : KINDS.slice(0, 3);
      requests.push({
        opCode: isNew ? OpCode.setWatches2 : OpCode.setWatches,
        write: (writer: JuteWriter): void => {
          writer.long(lastZxid);
          for (const kind of kinds) {
            const paths = part.filter((each) => each.kind === kind).map(({ path }) => path);
            writer.vector(paths, (each, path) => each.string(path));
          }
        },
      });
    }
    return requests;
  }
}
