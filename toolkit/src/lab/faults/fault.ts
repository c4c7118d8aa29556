import type { Scene } from '../scene.ts';

/** Something that goes wrong. Each step proves its effect, or rejects. */
export interface Fault {
  /** Whether the first holder lives on, and can become stale. */
  readonly holderSurvives: boolean;
  /** Before the lock is taken. */
  prepare?(scene: Scene): Promise<void>;
  /** Takes back what `prepare` did, where the lock was refused because of it. */
  restore?(scene: Scene): Promise<void>;
  /** While the first holder is at work. Gives what brings that holder back when its rival is at work, if anything does. */
  inject(scene: Scene): Promise<Healing | undefined>;
}

export type Healing = () => Promise<void>;
