import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkWritable } from './writable.ts';

it('what cannot be written is refused before the work, with the option that names it', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'run.json');
  expect(() => checkWritable('--json', file)).not.toThrow();
  writeFileSync(file, '{}');
  expect(() => checkWritable('--json', file)).not.toThrow();
  expect(() => checkWritable('--json', folder)).toThrow(`--json ${folder}: that is a folder.`);
  expect(() => checkWritable('--json', path.join(folder, 'none/run.json'))).toThrow('that folder does not exist');
  // Neither is there anything below a file.
  expect(() => checkWritable('--json', path.join(file, 'run.json'))).toThrow('--json');
});
