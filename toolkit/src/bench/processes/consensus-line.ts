/**
 * Some of the waiters for one lock on etcd or ZooKeeper: each has it once in a round, and gives it back at once.
 *
 * @module
 */
import { createLocks } from 'holdfast';
import { openSystem } from '../consensus/open-system.ts';
import { type Turn, takeTurn } from '../turns.ts';
import { answerQuestions } from '../worker.ts';

await answerQuestions<'consensus-line'>(async ({ kind, address, id, name, waiters }) => {
  const system = openSystem(kind, address);
  const { contenders } = await system.openLine(id, name, waiters);
  let turns: Promise<readonly Turn[]> = Promise.resolve([]);

  return async (step) => {
    switch (step.do) {
      case 'enter':
        turns = Promise.all(contenders.map(takeTurn));
        turns.catch(() => undefined); // whoever asks them to leave is told
        return [];
      case 'leave':
        return turns;
      case 'hold':
        await createLocks(system.backend(), { ttlMs: step.ttlMs }).lock(name).acquire();
        return [];
    }
  };
});
