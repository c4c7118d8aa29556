/**
 * Where and how the subjects of one backend are measured.
 *
 * @module
 */
import type { Reaper } from '../../lab/reaper.ts';
import type { Kind } from '../subjects/subject.ts';
import type { BenchSettings } from './document.ts';

export interface Settings extends BenchSettings {
  readonly warmUpRounds: number;
  /** For how long each subject acquires and releases before anything is measured. */
  readonly warmUpMs: number;
}

export interface Stage {
  readonly reaper: Reaper;
  readonly kind: Kind;
  readonly url: string;
  readonly settings: Settings;
  /** Says what is being done, for people who wait. */
  readonly say: (measure: string, detail: string) => void;
}
