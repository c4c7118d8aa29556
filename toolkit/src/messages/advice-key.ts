import type { AdviceKey } from './speech.ts';

/** Which texts of advice an experiment has. */
export type Kind =
  | 'crash'
  | 'pause'
  | 'partition'
  | 'failover'
  | 'lease'
  | 'queue'
  | 'distance'
  | 'leader'
  | 'disk'
  | 'pooler'
  | 'cut'
  | 'clock'
  | 'restart'
  | 'other';

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^crash/, 'crash'],
  [/^pause/, 'pause'],
  [/^partition/, 'partition'],
  [/^(failover|replica|cluster-failover)/, 'failover'],
  [/^clock/, 'clock'],
  [/-restart(-|$)/, 'restart'],
  [/-lease$/, 'lease'],
  [/^herd(-|$)/, 'queue'],
  [/^distance(-|$)/, 'distance'],
  [/^(etcd-leader|zk-session)/, 'leader'],
  [/-disk(-back)?$/, 'disk'],
  [/^pooler/, 'pooler'],
  [/-cut$/, 'cut'],
];

function kindOf(experiment: string): Kind {
  return KINDS.find(([pattern]) => pattern.test(experiment))?.[1] ?? 'other';
}

export function adviceKey(experiment: string, part: 'Done' | 'Safe' | 'Unsafe' | 'Remedy'): AdviceKey {
  return `${kindOf(experiment)}${part}`;
}
