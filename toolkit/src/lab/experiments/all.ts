import type { Experiment } from '../experiment.ts';
import { clock, clockKept, clockMajority, clockOneOfFive, clockOneOfThree } from './clock.ts';
import crash from './crash.ts';
import { distances } from './distance.ts';
import { etcdDisk, etcdDiskBack } from './etcd-disk.ts';
import etcdLease from './etcd-lease.ts';
import {
  clusterFailover,
  failover,
  failoverSentinel,
  replicaClock,
  replicaClockBehind,
  replicaInStep,
  replicaPreferred,
  replicaUnnoticed,
} from './failover.ts';
import { herd, herds } from './herd.ts';
import { etcdLeader, etcdLeaderCrash, zkSession, zkSessionCrash } from './leader.ts';
import { partitions } from './partition.ts';
import pause from './pause.ts';
import { persistence } from './persistence.ts';
import pooler from './pooler.ts';
import { redlockRestart, redlockRestartInTurn, redlockRestartLate } from './redlock.ts';
import { silentCut, silentCutAnswer, silentCutLine } from './silent-cut.ts';

/** In the order in which they are run and printed. */
export const experiments: readonly Experiment[] = [
  crash,
  pause,
  herd,
  ...herds,
  ...distances,
  ...partitions,
  failover,
  failoverSentinel,
  replicaInStep,
  replicaPreferred,
  replicaUnnoticed,
  replicaClock,
  replicaClockBehind,
  clusterFailover,
  ...persistence,
  clock,
  clockKept,
  clockOneOfThree,
  clockMajority,
  clockOneOfFive,
  redlockRestart,
  redlockRestartLate,
  redlockRestartInTurn,
  etcdLease,
  etcdLeader,
  etcdLeaderCrash,
  etcdDisk,
  etcdDiskBack,
  zkSession,
  zkSessionCrash,
  pooler,
  silentCut,
  silentCutLine,
  silentCutAnswer,
];
