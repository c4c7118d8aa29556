import { expect, it } from 'vitest';
import type { SubjectAnswer } from '../tasks.ts';
import { answered } from './crew.ts';

function worker(answer: Promise<SubjectAnswer>): {
  ask: () => typeof answer;
  kill: () => Promise<void>;
  killed: boolean;
} {
  const self = {
    killed: false,
    ask: () => answer,
    async kill() {
      self.killed = true;
    },
  };
  return self;
}

it('a process that does not answer in time is ended, so that its answer is not taken for that to the next question', async () => {
  const silent = worker(new Promise(() => undefined));
  await expect(answered({ do: 'give' }, silent, 20)).rejects.toThrow(
    'An answer to "give" did not happen within 20 ms.',
  );
  expect(silent.killed).toBe(true);
});

it('a process that answers goes on, whatever it answers', async () => {
  const failing = worker(Promise.reject(new Error('It has no lock.')));
  await expect(answered({ do: 'lead' }, failing, 60_000)).rejects.toThrow('It has no lock.');
  const able = worker(Promise.resolve({ inLine: 3 }));
  expect(await answered({ do: 'in-line' }, able, 60_000)).toEqual({ inLine: 3 });
  expect([failing.killed, able.killed]).toEqual([false, false]);
});
