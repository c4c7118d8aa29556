/**
 * The guard in the memory of one process: for a service that owns its data alone, and for tests. Its floors are gone
 * with the process; where the data outlives it, so must they.
 *
 * @module
 */
import { checkAccess, checkSource, checkText, type Floor, type GuardOptions, refusal } from './request.ts';

export interface MemoryGuard {
  /** Raises the floor to this token, or throws `StaleTokenError`; equal tokens pass. To be called before the first read. */
  enter(resource: string, token: bigint): void;
  /** For operators: refuses all tokens below this one from now on. Never lowers the floor. */
  raise(resource: string, token: bigint): void;
  /**
   * The locks have moved to another backend: from now on the resource takes tokens of this guard's source, from `floor`
   * on. Throws if its tokens come from another source than `from`.
   */
  changeSource(resource: string, change: { readonly from: string; readonly floor: bigint }): void;
}

/** Shares the floors of `floors`, so that guards of different sources can meet on one set. */
export function memoryGuard(options: GuardOptions, floors: Map<string, Floor> = new Map()): MemoryGuard {
  const source = checkSource('memoryGuard', options);

  return {
    enter(resource, token) {
      const { resource: name } = checkAccess(resource, token);
      const floor = floors.get(name);
      if (floor !== undefined && (floor.source !== source || floor.token > token)) {
        throw refusal(name, token, source, floor);
      }
      floors.set(name, { source, token });
    },
    raise(resource, token) {
      const { resource: name } = checkAccess(resource, token);
      const floor = floors.get(name);
      if (floor !== undefined && floor.source !== source) throw refusal(name, token, source, floor);
      if (floor === undefined || floor.token < token) floors.set(name, { source, token });
    },
    changeSource(resource, { from, floor }) {
      const { resource: name } = checkAccess(resource, floor);
      const known = floors.get(name);
      if (known?.source !== checkText('from', from)) throw refusal(name, floor, source, known);
      floors.set(name, { source, token: floor });
    },
  };
}
