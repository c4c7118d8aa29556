import type { History } from '../history.ts';
import type { Check, CheckerId, Figures } from '../result.ts';

/** What a checker found; the figures go to the result, the rest stays with the check. */
export interface Finding extends Omit<Check, 'checker'> {
  readonly figures?: Figures;
}

/** Judges a history, and looks at nothing else. */
export interface Checker {
  readonly id: CheckerId;
  check(history: History): Finding;
}
