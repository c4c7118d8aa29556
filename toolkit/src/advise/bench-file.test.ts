import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareOutput } from '../lab/output-files.ts';
import { benchOfAll } from './bench.testing.ts';
import { benchFigures } from './bench-file.ts';

describe('the file of a benchmark', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'holdfast-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const fileOf = (text: string): string => {
    const file = path.join(folder, 'bench.json');
    writeFileSync(file, text);
    return file;
  };

  it('is read as far as it is used', () => {
    const { backends } = benchFigures(fileOf(JSON.stringify(benchOfAll))) ?? {};
    expect(backends?.map(({ id }) => id)).toEqual(['redis', 'etcd-3']);
    expect(backends?.[0]?.subjects[1]).toMatchObject({ id: 'raw', serial: { ratio: { median: 0.8 } } });
    expect(backends?.[0]?.subjects[1]).not.toHaveProperty('failures');
  });

  it('is refused by name, before anything is run, if it is something else', () => {
    const lang = 'en' as const;
    const report = path.join(folder, 'report.html');
    const files = { lang, report };
    expect(() => prepareOutput({ ...files, bench: path.join(folder, 'none.json') })).toThrow(
      /none.json cannot be read: /,
    );
    expect(() => prepareOutput({ ...files, bench: fileOf('{') })).toThrow(/bench.json is not JSON: /);
    expect(() => prepareOutput({ ...files, bench: fileOf('{}') })).toThrow(/bench.json is not a result of /);
    expect(() => prepareOutput({ lang, bench: fileOf(JSON.stringify(benchOfAll)) })).toThrow('--bench is for the page');
  });
});
