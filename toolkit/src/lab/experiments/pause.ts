import { exposure } from '../checkers/exposure.ts';
import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { pauseHolder } from '../faults/pause-holder.ts';
import { takeOver } from '../workloads/take-over.ts';

/** E2: the whole process of the holder is stopped for longer than its TTL, its watchdog with it, and then goes on. */
const pause: Experiment = experiment({
  id: 'pause',
  question:
    'When the holder sleeps past its TTL and wakes in the middle of its work, does it damage what its rival wrote?',
  servers: 'one',
  workload: takeOver,
  fault: pauseHolder,
  checkers: [sanity, exposure, mutualExclusion, fencingOrder, openRegister, guardedRegister, recovery],
  needsRecovery: false,
  needsExposure: true,
  // A session lock, and one on a quorum, has no token that a guard could check, ours included.
  expected: {
    setnx: 'unsafe',
    'setnx-watchdog': 'unsafe',
    'holdfast:redlock': 'unsafe',
    'etcd-naive': 'unsafe',
    'pg-advisory': 'unsafe',
    'pg-advisory+tcp': 'unsafe',
    'holdfast:postgres-session': 'unsafe',
    'get-lock': 'unsafe',
    'holdfast:mysql-session': 'unsafe',
  },
  // Without a limit the server would leave a sleeper its session, and nobody would ever get the lock.
  idleLimitMs: ({ ttlMs }) => ttlMs,
  // The fault comes after one renewal, so that a watchdog has shown that it works.
  timing: (ttlMs) => ({
    ttlMs,
    triesEveryMs: 50,
    faultAtMs: 0.4 * ttlMs,
    stoppedForMs: 0,
    observeMs: Math.min(500, 0.3 * ttlMs),
  }),
  // Just after the renewal that is due at 2 s.
  seedTiming: { ttlMs: 3_000, triesEveryMs: 50, faultAtMs: 2_050, stoppedForMs: 5_000, observeMs: 500 },
  takesMs: ({ ttlMs, faultAtMs, stoppedForMs }) => Math.max(ttlMs, stoppedForMs) + faultAtMs + 2_500,
});

export default pause;
