import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';
import { closingLine, type Outcome, objection, type Skip, skipsByReason } from './closing-line.ts';

const didNotFinish: Outcome = { passed: 0, failed: 1, skips: [] };

/**
 * Prints, after everything else, which tests were skipped and why, and as the last line `N passed, N failed`.
 *
 * With HOLDFAST_FORBID_SKIPS=1 a skip makes the run fail: where the servers are installed, a test that quietly does not
 * run is a hole.
 */
export class ClosingLineReporter implements Reporter {
  private vitest: Vitest | undefined;
  private outcome: Outcome | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunStart(): void {
    if (this.vitest?.config.watch || this.outcome) return;
    this.outcome = didNotFinish;
    // Printed when the process ends, since Vitest itself may still have something to say after the last test.
    process.once('exit', () => this.close());
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    this.outcome = collect(modules, unhandledErrors.length);
    if (this.vitest?.config.watch) this.close();
  }

  private close(): void {
    const outcome = this.outcome ?? didNotFinish;
    const lines = skipsByReason(outcome.skips);
    const reason =
      outcome === didNotFinish
        ? 'The test run did not come to its end.'
        : objection(outcome, process.env.HOLDFAST_FORBID_SKIPS === '1');
    if (reason) lines.push(reason);
    if (reason || outcome.failed > 0) process.exitCode = 1;
    lines.push(closingLine(outcome));
    process.stdout.write(`\n${lines.join('\n')}\n`);
  }
}

function collect(modules: readonly TestModule[], unhandledErrors: number): Outcome {
  let passed = 0;
  let failed = unhandledErrors;
  const skips: Skip[] = [];
  for (const module of modules) {
    const file = relative(process.cwd(), module.moduleId);
    failed += ownErrors(module);
    for (const suite of module.children.allSuites()) failed += ownErrors(suite);
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed++;
      else if (state === 'skipped') skips.push({ test: `${file} > ${test.fullName}`, reason: reasonOf(test) });
      // A test that is still pending was cut off in the middle.
      else failed++;
    }
  }
  return { passed, failed, skips };
}

/** A file that does not load, or a hook around a group of tests that throws, fails without a test that could say so. */
function ownErrors(of: TestModule | TestSuite): number {
  return of.errors().length > 0 ? 1 : 0;
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  if (result.state === 'skipped' && result.note) return result.note;
  if (test.options.mode === 'todo') return 'not written yet (todo)';
  return "no reason given; context.skip('why') would give one (a name filter or .only has this effect, too)";
}
