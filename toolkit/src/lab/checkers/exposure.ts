/**
 * The proof that damage could have happened: a holder whose lock had gone to another came to the protected resource,
 * with a read and with a write, while that other was at work. Without it a run that saw no damage proves nothing.
 *
 * @module
 */
import type { Entry, History } from '../history.ts';
import type { Checker, Finding } from './checker.ts';
import { type Hold, holdsOf, stamps } from './holds.ts';

export const exposure: Checker = { id: 'exposure', check };

function check(history: History): Finding {
  const holds = holdsOf(history);
  const time = stamps(history);
  const served = history.entries.filter((entry): entry is Extract<Entry, { f: 'served' }> => entry.f === 'served');
  const seqOf = (hold: Hold): number[] => served.filter((entry) => entry.hold === hold.id).map((entry) => entry.seq);
  for (const [index, stale] of holds.entries()) {
    for (const rival of holds.slice(index + 1)) {
      const rivals = seqOf(rival);
      const during = served.filter(
        ({ hold, seq }) => hold === stale.id && seq > Math.min(...rivals) && seq < Math.max(...rivals),
      );
      const read = during.find((entry) => entry.access === 'read');
      const write = during.find((entry) => entry.access === 'write');
      if (read && write) {
        const evidence = `While ${rival.id} was at work, ${stale.id} wrote at ${time(write.at)} and read at ${time(read.at)}.`;
        return { verdict: 'safe', evidence: [evidence] };
      }
    }
  }
  return {
    verdict: 'unknown',
    evidence: ['No holder that had lost the lock came to the protected resource while its rival was at work.'],
  };
}
