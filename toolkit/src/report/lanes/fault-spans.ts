import type { Entry, History } from '../../lab/history.ts';
import type { Mark, Span } from '../lane.ts';

type Fault = Extract<Entry, { f: 'fault' }>;

/** What takes a fault back. */
const ENDS: Readonly<Record<keyof typeof LASTING, readonly string[]>> = {
  stop: ['continue'],
  cut: ['continue', 'promote'],
  hang: ['continue'],
  kill: ['start'],
};

const LASTING = { stop: 'stopped', cut: 'cut', hang: 'hangs', kill: 'dead' } as const;

/** What the lab did to this process or server: how long it lasted, and when it was done. */
export function faultsOn(target: string, { entries }: History, end: number): { spans: Span[]; marks: Mark[] } {
  const faults = entries.filter((entry): entry is Fault => entry.f === 'fault' && entry.target === target);
  const begun = faults.filter((fault) => fault.type === 'invoke');
  const proofOf = (op: number): string | undefined =>
    faults.flatMap((fault) => (fault.op === op && fault.type !== 'invoke' ? [fault.proof] : []))[0];
  const spans = begun.flatMap((fault): Span[] => {
    const done = fault.act;
    if (!isLasting(done)) return [];
    // It lasts until the lab takes it back.
    const over = begun.find(({ act, at }) => at > fault.at && ENDS[done].includes(act));
    return [[LASTING[done], fault.at, over?.at ?? end, fault.says]];
  });
  const marks = begun.map((fault): Mark => {
    const proof = proofOf(fault.op);
    return ['fault', fault.at, fault.act, proof === undefined ? fault.says : `${fault.says} (${proof})`];
  });
  return { spans, marks };
}

function isLasting(act: Fault['act']): act is keyof typeof LASTING {
  return act in LASTING;
}
