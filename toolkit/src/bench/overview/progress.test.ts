import { expect, it } from 'vitest';
import { BenchProgress } from './progress.ts';

/** What a terminal takes as an order to empty the line. */
const ERASE = '\r\x1b[K';

function told(isTTY: boolean): {
  readonly progress: BenchProgress;
  readonly written: string[];
  passes: (ms: number) => void;
} {
  const written: string[] = [];
  let now = 0;
  const screen = { write: (text: string) => written.push(text), isTTY, columns: 60 };
  const progress = new BenchProgress(screen, [10_000, 20_000], () => now);
  return {
    progress,
    written,
    passes(ms) {
      now += ms;
    },
  };
}

it('a file gets one line for each measure, with what is left by then', () => {
  const { progress, written, passes } = told(false);
  progress.begin(0, 'redis');
  progress.say('one at a time', 'raw, round 1 of 2');
  passes(4_000);
  progress.say('one at a time', 'raw, round 2 of 2');
  progress.say('64 at once', 'raw, warm-up');
  progress.begin(1, 'etcd');
  passes(30_000);
  progress.say('64 at once', 'raw, warm-up');
  progress.close();
  expect(written).toEqual([
    'holdfast bench: 1 of 2, redis: one at a time; about 30 s left\n',
    'holdfast bench: 1 of 2, redis: 64 at once; about 26 s left\n',
    'holdfast bench: 2 of 2, etcd: 64 at once; it takes longer than expected\n',
  ]);
});

it('a terminal gets one line that fits, and loses it in the end', () => {
  const { progress, written } = told(true);
  progress.begin(0, 'redis');
  progress.say('one at a time', 'npm:a-lock-with-quite-a-long-name, round 1 of 2');
  progress.close();
  const [line = ''] = written;
  expect(line.startsWith(`${ERASE}holdfast bench: 1 of 2, redis: one at a time, `)).toBe(true);
  expect(line.endsWith('…')).toBe(true);
  expect(line.length - ERASE.length).toBe(59);
  expect(written.at(-1)).toBe(ERASE);
});
