import { expect, it } from 'vitest';
import { experiments } from '../lab/experiments/all.ts';
import { adviceKey } from './advice-key.ts';

it('the texts about a cut network are those of the network, and not of a power cut', () => {
  const about = (key: string): string[] =>
    experiments.map(({ id }) => id).filter((id) => adviceKey(id, 'Done') === `${key}Done`);
  expect(about('cut')).toEqual(['silent-cut', 'silent-cut-line', 'silent-cut-answer']);
  expect(about('other')).toContain('persistence-power-cut');
  expect(about('disk')).toEqual(['etcd-disk', 'etcd-disk-back']);
  expect(about('partition')).toEqual([
    'partition',
    'partition-answers',
    'partition-requests',
    'partition-slow',
    'partition-heeded',
  ]);
});
