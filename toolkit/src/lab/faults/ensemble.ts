import { inflict, type Scene } from '../scene.ts';
import type { Ensemble, Member } from '../servers/member.ts';
import { until } from '../until.ts';
import { provenDead } from './process-state.ts';

export function ensembleOf(scene: Scene): Ensemble {
  if (!scene.cluster.ensemble) throw new Error('This fault needs an etcd or a ZooKeeper of the lab.');
  return scene.cluster.ensemble;
}

/** The one that leads now. */
export function leaderOf(scene: Scene): Promise<Member> {
  const look = (): Promise<Member | undefined> => ensembleOf(scene).leader();
  return until('One of the members leading', look, { limitMs: 20_000, signal: scene.signal });
}

/** `kill -9`; resolves when another leads, whose line in the history says so. */
export async function killLeading(scene: Scene, member: Member, says: string): Promise<void> {
  await inflict(
    scene,
    { act: 'kill', target: member.name, says },
    () => member.process.kill('SIGKILL'),
    () => provenDead(member.pid, scene.signal),
  );
  const successor = await leaderOf(scene);
  scene.history.write({ f: 'server', type: 'event', event: 'leads', says: 'leads now' }, successor.name);
}
