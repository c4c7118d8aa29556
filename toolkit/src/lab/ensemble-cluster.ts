/**
 * An etcd or a ZooKeeper for one run, and to which of its members the first holder talks.
 *
 * @module
 */
import type { Cluster } from './cluster.ts';
import type { Experiment } from './experiment.ts';
import type { Reaper } from './reaper.ts';
import { startEtcd } from './servers/etcd.ts';
import type { Ensemble } from './servers/member.ts';
import { startZooKeeper } from './servers/zookeeper.ts';
import { until } from './until.ts';

/** The first election of three servers. */
const LEADER_LIMIT_MS = 20_000;

export interface EnsembleOptions {
  readonly reaper: Reaper;
  readonly kind: 'etcd' | 'zookeeper';
  readonly program: { readonly file: string; readonly jar?: string };
  readonly folder: string;
  readonly members: 1 | 3;
  readonly holderAsks: Experiment['holderAsks'];
}

/** Resolves when one member leads and, with three, the others follow. */
export async function ensembleCluster(options: EnsembleOptions): Promise<Cluster> {
  const ensemble = await start(options);
  try {
    const leader = await until('One of the members leading', () => ensemble.leader(), { limitMs: LEADER_LIMIT_MS });
    const { members } = ensemble;
    const followers = members.filter((member) => member !== leader);
    const memberOfA = { 'the-leader': leader, 'one-follower': followers[0], any: undefined }[
      options.holderAsks ?? 'any'
    ];
    return {
      // Whoever asks one after the other begins with those that the fault leaves alone.
      url: ensemble.urlOf(memberOfA ? [...members.filter((member) => member !== memberOfA), memberOfA] : members),
      servers: [ensemble.version],
      ensemble,
      ...(members.length === 1 ? { dated: ensemble.dated(leader) } : {}),
      counts: () => ensemble.counts(),
      ...(memberOfA ? { memberOfA, urlOfA: ensemble.urlOf([memberOfA]) } : {}),
      close: async () => ensemble.stop(),
    };
  } catch (error) {
    ensemble.stop();
    throw error;
  }
}

function start({ reaper, kind, program, folder, members }: EnsembleOptions): Promise<Ensemble> {
  if (kind === 'etcd') return startEtcd({ reaper, program: program.file, folder, members });
  if (program.jar === undefined) throw new Error('ZooKeeper has no jar.');
  return startZooKeeper({ reaper, java: program.file, jar: program.jar, folder, members });
}
