import type { Experiment } from '../experiment.ts';
import crash from './crash.ts';
import { failover, failoverSentinel } from './failover.ts';
import pause from './pause.ts';
import pooler from './pooler.ts';
import silentCut from './silent-cut.ts';

/** In the order in which they are run and printed. */
export const experiments: readonly Experiment[] = [crash, pause, failover, failoverSentinel, pooler, silentCut];
