import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { cutHolder } from '../faults/cut-holder.ts';
import { cutLine, cutLineOfAnswer } from '../faults/cut-line.ts';
import type { Timing } from '../scene.ts';
import { loseTheAnswer } from '../workloads/lose-the-answer.ts';
import { takeOver } from '../workloads/take-over.ts';

/** A session of ours may be silent for 15 s; what is not free after that is stuck for as long as one can watch. */
const SHORTEST_PATIENCE_MS = 25_000;

const timing = (ttlMs: number): Timing => ({
  ttlMs,
  triesEveryMs: 100,
  faultAtMs: 0,
  stoppedForMs: 0,
  observeMs: 0,
  patienceMs: SHORTEST_PATIENCE_MS,
});

/** The network of the holder is cut without a word. Only a limit of time can free what it holds. */
export const silentCut: Experiment = experiment({
  id: 'silent-cut',
  question:
    "When the holder's network is cut and nobody is told, does the lock come free again, and who knows it first?",
  servers: 'behind-black-hole',
  kinds: ['postgres', 'mysql'],
  onlyOnDemand: true,
  workload: takeOver,
  fault: cutHolder,
  checkers: [sanity, recovery, mutualExclusion, fencingOrder, openRegister, guardedRegister],
  needsRecovery: true,
  needsExposure: false,
  expected: { 'table-row': 'unsafe', 'pg-advisory': 'unsafe', 'pg-advisory+tcp': 'unsafe', 'get-lock': 'unsafe' },
  timing,
  seedTiming: timing(10_000),
  takesMs: ({ patienceMs = 0 }) => patienceMs + 3_000,
});

/** What TCP does on a line on which nothing answers comes to what the two ends do by themselves. */
export const silentCutLine: Experiment = experiment({
  ...silentCut,
  id: 'silent-cut-line',
  question: "When the holder's line is cut while nothing is on it, how long does the server keep the lock?",
  servers: 'behind-line',
  tool: 'line',
  fault: cutLine,
  // A relay acknowledges what TCP asks. Here nobody does, so that limits of TCP alone end a session, too.
  expected: { 'table-row': 'unsafe', 'pg-advisory': 'unsafe', 'get-lock': 'unsafe' },
});

/** The server has given a lock to somebody who does not know of it, and goes on to send the answer. */
export const silentCutAnswer: Experiment = experiment({
  ...silentCutLine,
  id: 'silent-cut-answer',
  question:
    'When the line is cut while the server still has an answer to send, the one that gives the lock, how long does it keep it?',
  workload: loseTheAnswer,
  fault: cutLineOfAnswer,
});
