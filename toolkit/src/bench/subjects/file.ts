import { checkHold } from '../../lab/subjects/contract.ts';
import { loadSubject } from '../../lab/subjects/load-subject.ts';
import { type BenchSubject, TTL_MS, WAIT_MS } from './subject.ts';

/** Somebody else's lock: a subject of the check-up. What it costs to hold many is not compared: few renew at all. */
export async function openFile(file: string, url: string): Promise<BenchSubject> {
  const subject = await loadSubject(file);
  const session = await subject.open({ url });
  const acquire = async (name: string, waitMs: number) => {
    const hold = checkHold(await session.acquire(name, { ttlMs: TTL_MS, waitMs }));
    if (hold === null) throw new Error(`${subject.name} did not get ${name} within ${waitMs} ms.`);
    return hold;
  };
  return {
    // By a single try: nobody else wants it.
    pair: async (index) => (await acquire(`pair-${index}`, 0)).release(),
    async line(name, waiters) {
      return Array.from({ length: waiters }, () => async () => {
        const hold = await acquire(name, WAIT_MS);
        return () => hold.release();
      });
    },
  };
}
