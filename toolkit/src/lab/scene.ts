/**
 * All that one run of one experiment stands on: the servers, the two holders, the history. Faults and workloads act on a
 * scene and on nothing else.
 *
 * @module
 */
import type { Cluster } from './cluster.ts';
import type { FaultAct, HistoryWriter } from './history.ts';
import type { Holder } from './holder.ts';
import type { SubjectSource } from './subjects/load-subject.ts';
import type { Tool } from './tool.ts';

/** How long things last; an experiment derives it from the TTL. */
export interface Timing {
  readonly ttlMs: number;
  /** How often the rival asks for the lock. */
  readonly triesEveryMs: number;
  /** When the fault comes, counted from the grant; at once if that is later. */
  readonly faultAtMs: number;
  /** How long a holder stays stopped, at least; it does so until the rival has done some work. */
  readonly stoppedForMs: number;
  /** How long one looks whether the old holder still believes, after the rival has done some work. */
  readonly observeMs: number;
  /** How long the rival asks at least before the lock counts as stuck, where a lock of two TTLs and a second would be too short. */
  readonly patienceMs?: number;
}

export interface Scene {
  readonly cluster: Cluster;
  /** A takes the lock; B wants it. */
  readonly holders: { readonly A: Holder; readonly B: Holder };
  readonly history: HistoryWriter;
  readonly timing: Timing;
  /** A fresh one, that nobody else uses. */
  readonly lockName: string;
  readonly signal: AbortSignal;
  /** What a process must know to open the subject. */
  readonly opening: { readonly subject: SubjectSource; readonly url: string; readonly resourcePort: number };
  /** One more process that can run the subject; resolves when it takes requests. */
  readonly startProcess: (by: string) => Promise<Holder>;
  /** A program of the system, for a fault. It ends with the scene at the latest. */
  readonly tool: (name: 'strace') => Tool;
  /** Called when the scene is taken down, whatever has happened. */
  readonly onEnd: (close: () => void) => void;
  /** What is being done now, for people who watch. */
  readonly report: (doing: string) => void;
}

/** Does something to a process or a server, with a line before it, and one after it that says how its effect is proven. */
export async function inflict(
  scene: Scene,
  fault: { readonly act: FaultAct; readonly target: string; readonly says: string },
  doIt: () => unknown,
  proof: () => Promise<string>,
): Promise<void> {
  const { act, target, says } = fault;
  const op = scene.history.nextOperation();
  scene.history.write({ f: 'fault', type: 'invoke', op, act, target, says });
  try {
    await doIt();
    scene.history.write({ f: 'fault', type: 'ok', op, act, target, proof: await proof() });
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    scene.history.write({ f: 'fault', type: 'fail', op, act, target, proof: said });
    throw error;
  }
}
