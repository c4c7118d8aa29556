/**
 * The lanes of the servers: what the lab did to them, and what they said.
 *
 * @module
 */
import type { Entry, History } from '../../lab/history.ts';
import { isMaking } from '../../lab/timeline/servers.ts';
import type { Lane, Mark } from '../lane.ts';
import { faultsOn } from './fault-spans.ts';
import { processesIn } from './holder.ts';

type Server = Extract<Entry, { f: 'server' }>;

export function serverLanes(history: History, end: number): Lane[] {
  const holders = new Set(processesIn(history));
  const names = history.entries.flatMap((entry) => {
    if (entry.f === 'server') return [entry.by];
    return entry.f === 'fault' && !holders.has(entry.target) ? [entry.target] : [];
  });
  return [...new Set(names)].map((name): Lane => {
    const events = history.entries.filter((entry): entry is Server => entry.f === 'server' && entry.by === name);
    const faults = faultsOn(name, history, end);
    const marks = events.flatMap((event, index): Mark[] => markOf(event, isMaking(events, index)));
    return { id: name, role: 'server', spans: faults.spans, marks: [...marks, ...faults.marks] };
  });
}

function markOf({ at, event, says }: Server, isNew: boolean): Mark[] {
  if (says !== undefined) return [['news', at, event, says]];
  if (event === 'expired') return [['expired', at]];
  if (event === 'del') return [['deleted', at]];
  return event === 'expire' && !isNew ? [['renewed', at]] : [];
}
