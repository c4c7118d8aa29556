/**
 * The lanes of the protected resource: what its two registers did with each write.
 *
 * @module
 */
import { replay } from '../../lab/checkers/protected-effects.ts';
import type { Entry, History } from '../../lab/history.ts';
import type { Lane, Mark } from '../lane.ts';

type Served = Extract<Entry, { f: 'served' }>;

export function registerLanes(history: History): Lane[] {
  return (['open', 'guarded'] as const).map((register): Lane => {
    const { accepted, lost } = replay(register, history);
    const damage = { stale: new Set(accepted), lost: new Set(lost.by) };
    const writes = history.entries.filter(
      (entry): entry is Served => entry.f === 'served' && entry.access === 'write' && entry[register] !== null,
    );
    return { id: register, role: 'register', spans: [], marks: writes.map((write) => markOf(write, register, damage)) };
  });
}

interface Damage {
  readonly stale: ReadonlySet<Served>;
  readonly lost: ReadonlySet<Served>;
}

function markOf(write: Served, register: 'open' | 'guarded', { stale, lost }: Damage): Mark {
  const by = write.hold.replace(/\d+$/, '');
  const outcome = write[register];
  if (outcome && !outcome.accepted) return ['refused', write.at, by, `token ${write.token} < ${outcome.floor}`];
  if (stale.has(write)) return ['stale', write.at, by];
  return [lost.has(write) ? 'lost' : 'write', write.at, by];
}
