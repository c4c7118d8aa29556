import type { Entry } from '../history.ts';
import type { Moment } from '../result.ts';

/** The lines of one kind. */
export type Of<F extends Entry['f']> = Extract<Entry, { f: F }>;

/** A moment, in the milliseconds of its history. */
export interface Told extends Omit<Moment, 'atMs'> {
  readonly at: number;
}
