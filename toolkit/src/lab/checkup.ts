/**
 * One check-up, from its options to its exit code: plan, run, print, keep, and leave nothing behind.
 *
 * @module
 */
import { EXIT_CODES } from '../cli/exit-codes.ts';
import { colors, printLines } from '../cli/output.ts';
import { speechIn } from '../messages/speech.ts';
import { CheckupPrinter, printClaims } from './checkup-printer.ts';
import { type CheckupOptions, choose, listLines } from './choices.ts';
import { claimsOf, outcomeOfClaims } from './claims.ts';
import { endOnSignal } from './interrupt.ts';
import { machineNow } from './machine.ts';
import { prepareOutput } from './output-files.ts';
import { Progress } from './progress.ts';
import { Reaper } from './reaper.ts';
import { outcomeOf, type Run, worseOf } from './result.ts';
import { Rounds } from './rounds.ts';
import { runTasks } from './runner.ts';
import { findPgBouncer, findServers, findStrace } from './servers/find-server.ts';
import { whyNoLine } from './servers/line.ts';
import { keepRun, toJson } from './store.ts';
import { planTasks, summariesOf } from './tasks.ts';

/** Each task waits most of its time, so three of them do not disturb each other even on two cores. */
const WORKERS = 3;

/** Resolves with the exit code. Rejects with a UsageError for what cannot be done as it was asked for. */
export async function checkup(ids: readonly string[], options: CheckupOptions): Promise<number> {
  const programs = findServers();
  const pgbouncer = findPgBouncer();
  if (options.list) {
    printLines(listLines(programs));
    return EXIT_CODES.done.code;
  }
  const writeFiles = prepareOutput(options);
  // Whoever reads the progress may stop doing so; the results do not depend on it.
  process.stderr.on('error', () => {});
  const startedAt = new Date();
  const began = performance.now();
  const reaper = await Reaper.start();
  const interrupt = endOnSignal(reaper);
  try {
    const choice = await choose(ids, options, reaper);
    const { url } = choice;
    const tasks = planTasks(choice.experiments, choice.subjects, choice.timingOf, {
      platform: process.platform,
      programs,
      strace: findStrace(),
      pgbouncer,
      whyNoLine: choice.experiments.some(({ tool }) => tool === 'line') ? whyNoLine() : undefined,
      isQuick: ids.length === 0 && !options.all && options.subject.length + options.subjectCommand.length === 0,
      experimentsNamed: ids.length > 0,
      url,
    });

    const rounds = new Rounds(tasks, choice.rounds);
    const toStdout = options.json === '-';
    const speech = speechIn(options.lang);
    const printer = new CheckupPrinter(tasks, toStdout ? undefined : (print) => progress.around(print), speech);
    const progress = new Progress(rounds.plays, {
      screen: process.stderr,
      paint: colors,
      workers: WORKERS,
      onFinished(play, result) {
        const whole = rounds.add(play, result);
        if (whole) printer.add(whole.task, whole.result);
      },
      speech,
    });
    interrupt.signal.addEventListener('abort', () => progress.close(), { once: true });
    const running = runTasks(rounds.plays, {
      reaper,
      programs,
      pgbouncer,
      url,
      signal: interrupt.signal,
      concurrency: WORKERS,
      watcher: progress,
    });
    const report = await interrupt.unlessInterrupted(running).finally(() => progress.close());

    const run: Run = {
      version: 1,
      startedAt: startedAt.toISOString(),
      machine: machineNow(report.servers),
      ...summariesOf(tasks, report.guarantees),
      results: rounds.results(),
    };
    const files = writeFiles(run);
    if (toStdout) process.stdout.write(toJson(run));
    else printer.end(run, performance.now() - began, files);
    // Each round may be the one that refutes a statement, whatever its verdict is.
    const claims = options.claims ? claimsOf({ ...run, results: rounds.all() }) : [];
    if (options.claims && !toStdout) printClaims(claims, run, speech);
    if (options.keep) process.stderr.write(`holdfast: kept in ${keepRun(reaper.folder, run)}\n`);
    return EXIT_CODES[worseOf(outcomeOf(run.results), outcomeOfClaims(claims))].code;
  } finally {
    interrupt.dispose();
    await reaper.close();
  }
}
