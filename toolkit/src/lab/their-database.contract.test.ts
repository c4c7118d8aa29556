import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { missingDatabase, TestDatabase } from '../cli/test-support/database.ts';
import { connect } from '../connect/connect.ts';
import { CheckupRun, RUN_LIMIT_MS } from './checkup.testing.ts';
import type { Result, Run } from './result.ts';

function start(args: readonly string[]): CheckupRun {
  const run = new CheckupRun(args);
  onTestFinished(() => run.dispose());
  return run;
}

/** Of the lock, in the experiment `crash`. */
function resultOf(stdout: string, subject: string): Result | undefined {
  return (JSON.parse(stdout) as Run).results.find((result) => result.subject === subject);
}

describe.each(['postgres', 'mysql'] as const)('a %s of the user', { timeout: RUN_LIMIT_MS }, (where) => {
  const missing = missingDatabase(where);
  const subject = `holdfast:${where}`;
  let server: TestDatabase;

  beforeAll(async () => {
    if (missing === undefined) server = await TestDatabase.start(where);
  }, 120_000);
  afterAll(() => server?.stop(), 60_000);

  it('has no table afterwards that it did not have: what needs one is not run, and it is said what makes it', async ({
    skip,
  }) => {
    skip(missing !== undefined, missing);
    const run = start(['crash', '--ttl', '400ms', '--json', '-', '--url', server.url]);
    const { stdout, stderr } = await run.ended;
    const { results } = JSON.parse(stdout) as Run;
    expect(resultOf(stdout, subject), stderr).toMatchObject({
      verdict: 'not-run',
      reason: `${subject} needs its tables there, and with --url the lab makes none. Run \`holdfast migrate\` first.`,
    });
    expect(results.some(({ verdict }) => verdict !== 'not-run')).toBe(true);
    const schema = where === 'postgres' ? "'public'" : 'database()';
    expect(await server.ask(`SELECT count(*) FROM information_schema.tables WHERE table_schema = ${schema}`)).toBe('0');
    await run.leavesNothing();
  });

  it('is used by the lock that needs tables where they are', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const connection = await connect(server.url, { withoutTables: true });
    await connection.createTables?.();
    await connection.close();
    const run = start(['crash', '--ttl', '400ms', '--subject', subject, '--json', '-', '--url', server.url]);
    const { code, stdout, stderr } = await run.ended;
    expect(code, stderr).toBe(0);
    expect(resultOf(stdout, subject)?.verdict).toBe('safe');
    await run.leavesNothing();
  });

  it('that refuses the password ends it with 77 before anything is run', async ({ skip }) => {
    skip(missing !== undefined, missing);
    await server.ask(
      where === 'postgres'
        ? 'CREATE ROLE nobody_there NOLOGIN'
        : "CREATE USER worker@'127.0.0.1' IDENTIFIED BY 'right'",
    );
    const user = where === 'postgres' ? 'nobody_there' : 'worker';
    const run = start(['crash', '--url', server.url.replace(/\/\/[a-z]+@/, `//${user}:wrong-password@`)]);
    const { code, stdout, stderr } = await run.ended;
    expect({ code, stdout }).toEqual({ code: 77, stdout: '' });
    expect(stderr).not.toContain('wrong-password');
    await run.leavesNothing();
  });
});
