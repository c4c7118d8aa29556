/** What a test run came to. */
export interface Outcome {
  readonly passed: number;
  /** Tests that failed, files that did not load, hooks and background errors that belong to no test. */
  readonly failed: number;
  readonly skips: readonly Skip[];
}

export interface Skip {
  /** File and full name, as one would look for it. */
  readonly test: string;
  readonly reason: string;
}

/** The last line of a run. Programs read it, so it has one form: `3 passed, 0 failed` or `3 passed, 0 failed, 1 skipped`. */
export function closingLine({ passed, failed, skips }: Outcome): string {
  const line = `${passed} passed, ${failed} failed`;
  return skips.length > 0 ? `${line}, ${skips.length} skipped` : line;
}

/** The skips as lines of text, one block for each reason, the most frequent reason first. */
export function skipsByReason(skips: readonly Skip[], listed = 5): string[] {
  const groups = new Map<string, string[]>();
  for (const { reason, test } of skips) groups.set(reason, [...(groups.get(reason) ?? []), test]);

  const lines: string[] = [];
  for (const [reason, tests] of [...groups].sort(([, a], [, b]) => b.length - a.length)) {
    lines.push(`${tests.length} skipped: ${reason}`);
    for (const test of tests.slice(0, listed)) lines.push(`    ${test}`);
    if (tests.length > listed) lines.push(`    and ${tests.length - listed} more`);
  }
  return lines;
}

/** Why the run fails although no test did, or nothing. */
export function objection(outcome: Outcome, skipsForbidden: boolean): string | undefined {
  if (outcome.passed + outcome.failed === 0) {
    return 'No test was executed, so nothing is known. The run counts as failed.';
  }
  if (skipsForbidden && outcome.skips.length > 0) {
    return `HOLDFAST_FORBID_SKIPS is set and ${outcome.skips.length} tests were skipped (listed above). The run counts as failed.`;
  }
  return undefined;
}
