import type { AdviceKey } from '../../messages/speech.ts';

/** Which texts of advice an experiment has. */
export type Kind =
  | 'crash'
  | 'pause'
  | 'partition'
  | 'failover'
  | 'lease'
  | 'queue'
  | 'leader'
  | 'disk'
  | 'pooler'
  | 'clock'
  | 'restart'
  | 'cut'
  | 'other';

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^crash/, 'crash'],
  [/^pause/, 'pause'],
  [/^partition/, 'partition'],
  [/^failover/, 'failover'],
  [/-lease$/, 'lease'],
  [/-queue(-\d+)?$/, 'queue'],
  [/^(etcd-leader|zk-session)/, 'leader'],
  [/-disk(-back)?$/, 'disk'],
  [/^pooler/, 'pooler'],
  [/^clock/, 'clock'],
  [/^redlock-restart/, 'restart'],
  [/-cut$/, 'cut'],
];

function kindOf(experiment: string): Kind {
  return KINDS.find(([pattern]) => pattern.test(experiment))?.[1] ?? 'other';
}

export function adviceKey(experiment: string, part: 'Done' | 'Safe' | 'Unsafe' | 'Remedy'): AdviceKey {
  return `${kindOf(experiment)}${part}`;
}
