import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BenchDocument } from '../../bench/overview/document.ts';
import { describeDocument } from '../../bench/overview/tables.ts';
import { SLOW, Stage } from '../test-support/program.ts';
import { missingRedis } from '../test-support/redis-server.ts';

const spread = { median: expect.any(Number), min: expect.any(Number), max: expect.any(Number) };

describe('holdfast bench', () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });
  afterEach(() => stage.strike());

  it(
    'gives figures as one JSON document, tells its progress on standard error, and leaves nothing behind',
    SLOW,
    async ({ skip }) => {
      skip(missingRedis !== undefined, missingRedis);
      const args = ['bench', 'sqlite', 'redis', '--quick', '--rounds', '1', '--json', '-'];
      const { code, stdout, stderr } = await stage.start(args).outcome;
      expect({ code, stderr }).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/1 of 2, sqlite: .+; about \d+ s left/),
      });
      const document = JSON.parse(stdout) as BenchDocument;
      expect(document).toMatchObject({ document: 'holdfast bench', version: 1, notRun: [] });
      expect(document.backends.map(({ id }) => id)).toEqual(['sqlite', 'redis']);
      for (const { subjects } of document.backends) {
        expect(subjects.map(({ id, failures }) => ({ id, failures }))).toEqual([
          { id: 'holdfast', failures: [] },
          { id: 'raw', failures: [] },
        ]);
        for (const { serial, concurrent, held, id } of subjects) {
          const ratio = id === 'raw' ? spread : null;
          expect(serial).toEqual({ perSecond: spread, p50Ms: spread, p99Ms: spread, ratio });
          expect(concurrent).toEqual({ perSecond: spread, p50Ms: spread, p99Ms: spread, ratio });
          expect(serial?.perSecond.median).toBeGreaterThan(10);
          expect(held?.takenPerSecond.median).toBeGreaterThan(10);
        }
      }
      const [, redis] = document.backends;
      expect(redis?.subjects.map(({ handOver }) => handOver?.handOvers)).toEqual([10, 10]);
      expect(describeDocument(document)).toContain('| redis ');
      await stage.isDeserted();
    },
  );

  it('says what there is to choose from', async () => {
    const [list, unknown] = await Promise.all([
      stage.start(['bench', '--list']).outcome,
      stage.start(['bench', 'mongo']).outcome,
    ]);
    expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining('zookeeper-3') });
    expect(unknown).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining('There is no backend') });
  });
});
