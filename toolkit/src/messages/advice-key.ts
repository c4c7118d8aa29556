import type { AdviceKey } from './speech.ts';

interface Check {
  readonly checker: string;
  readonly verdict: string;
}

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
  [/^etcd-disk/, 'disk'],
  [/^pooler/, 'pooler'],
  [/^silent-cut(-|$)/, 'cut'],
];

function kindOf(experiment: string): Kind {
  return KINDS.find(([pattern]) => pattern.test(experiment))?.[1] ?? 'other';
}

/** What a verdict means and what to do about it: what a check found says more than the experiment does. */
export function meaningKey(
  { experiment, checks }: { readonly experiment: string; readonly checks: readonly Check[] },
  part: 'Safe' | 'Unsafe' | 'Remedy',
): AdviceKey {
  const isNotHandedOver = checks.some(({ checker, verdict }) => checker === 'hand-over' && verdict === 'unsafe');
  if (isNotHandedOver && part !== 'Safe') return `handOver${part}`;
  return adviceKey(experiment, part);
}

export function adviceKey(experiment: string, part: 'Done' | 'Safe' | 'Unsafe' | 'Remedy'): AdviceKey {
  return `${kindOf(experiment)}${part}`;
}
