/**
 * A whole check-up for a test: run by the real program, as expected, and with nothing left behind.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { CheckupRun } from './checkup.testing.ts';
import type { Result, Run } from './result.ts';

/** Its results. Fails the test if one is not as expected. */
export async function wholeCheckup(...args: readonly string[]): Promise<readonly Result[]> {
  const run = new CheckupRun([...args, '--json', 'run.json']);
  onTestFinished(() => run.dispose());
  const { code, stdout, stderr } = await run.ended;
  expect(code, stdout + stderr).toBe(0);
  await run.leavesNothing();
  return (JSON.parse(readFileSync(path.join(run.folder, 'run.json'), 'utf8')) as Run).results;
}

/** `crash my-lock safe`, for each result. */
export function verdicts(results: readonly Result[]): string[] {
  return results.map(({ experiment, subject, verdict }) => `${experiment} ${subject} ${verdict}`);
}
