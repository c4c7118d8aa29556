import { exposure } from '../checkers/exposure.ts';
import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { survival } from '../checkers/survival.ts';
import { type Experiment, experiment } from '../experiment.ts';
import {
  cutPowerBeforeSync,
  cutPowerOfRedis,
  killOfRedisWhoseDiskHangs,
  restartRedis,
} from '../faults/restart-redis.ts';
import type { Verdict } from '../result.ts';
import type { Timing } from '../scene.ts';
import type { Persistence } from '../servers/persistence.ts';
import { survive } from '../workloads/survive.ts';

/** Long enough that the lock does not run out by itself while its server is away and its rival is refused. */
const SHORTEST_TTL_MS = 6_000;

const timing = (ttlMs: number): Timing => ({
  ttlMs: Math.max(SHORTEST_TTL_MS, ttlMs),
  triesEveryMs: 50,
  faultAtMs: 0,
  stoppedForMs: 0,
  observeMs: 2_500,
});

const lost: Readonly<Record<string, Verdict>> = {
  setnx: 'unsafe',
  'setnx-watchdog': 'unsafe',
  'holdfast:redis': 'safe',
};

function ofOneServer(
  id: string,
  question: string,
  persistence: Persistence,
  variation: Partial<Pick<Experiment, 'fault' | 'tool' | 'expected'>> = {},
): Experiment {
  return experiment({
    id,
    question,
    servers: 'own-one',
    persistence,
    kinds: ['redis'],
    onlyOnDemand: true,
    workload: survive,
    fault: restartRedis,
    checkers: [sanity, survival, exposure, mutualExclusion, fencingOrder, openRegister, guardedRegister, recovery],
    needsRecovery: false,
    needsExposure: true,
    expected: {},
    timing,
    seedTiming: timing(30_000),
    takesMs: ({ observeMs }) => observeMs + 2_500,
    ...variation,
  });
}

/** What a restart of the one server does to a lock that is held, by how the server keeps its data. */
export const persistence: readonly Experiment[] = [
  ofOneServer(
    'persistence-none',
    'When the server is killed and starts again, and keeps nothing on disk, do two holders damage the data?',
    'none',
    { expected: lost },
  ),
  ofOneServer(
    'persistence-rdb',
    'The same, when it writes a snapshot now and then, and none since the lock was taken?',
    'rdb',
    { expected: lost },
  ),
  ofOneServer('persistence-aof', 'The same, when it logs each write, and syncs the log every second?', 'aof-everysec'),
  ofOneServer('persistence-aof-always', 'The same, when it syncs the log before each reply?', 'aof-always'),
  ofOneServer(
    'persistence-power-cut',
    'When the power fails (imitated), and the log was to be synced within a second, do two holders damage the data?',
    'aof-everysec',
    { fault: cutPowerBeforeSync, tool: 'strace', expected: lost },
  ),
  ofOneServer('persistence-power-cut-always', 'The same, when the log is synced before each reply?', 'aof-always', {
    fault: cutPowerOfRedis,
    tool: 'strace',
  }),
  ofOneServer(
    'persistence-slow-disk',
    'When the disk hangs, and the server is killed, and the log was to be synced within a second, do two holders damage the data?',
    'aof-everysec',
    { fault: killOfRedisWhoseDiskHangs, tool: 'strace', expected: lost },
  ),
];
