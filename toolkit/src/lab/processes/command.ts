/**
 * The thread that runs a lock which is a program of its own: lines to its standard input, answers from its standard
 * output. Whatever else it prints goes where a subject's output goes, and does no harm.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { readAnswer } from '../command-protocol.ts';
import type { FromThread, ThreadData } from '../subjects/command-process.ts';

/** A longer line is no answer. */
const LONGEST_LINE = 64_000;

/** What is kept of its output, to show when it ends. */
const LAST_WORDS = 1_000;

/** How long its output may still come after its end, where what it has started holds that open. */
const OUTPUT_LIMIT_MS = 200;

const { command, port, said } = workerData as ThreadData;
const program = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'pipe'] });
let line = '';
let printed = '';

function tell(message: FromThread): void {
  port.postMessage(message);
  Atomics.add(said, 0, 1);
  Atomics.notify(said, 0);
}

function print(text: string): void {
  printed = (printed + text).slice(-LAST_WORDS);
  try {
    writeSync(2, text);
  } catch {
    // EAGAIN: nobody reads as fast as it prints, and the rest is not worth waiting for.
  }
}

function end(how: string): void {
  const lines = printed.trim().split('\n').filter(Boolean).slice(-3);
  tell({ ended: `The command ended with ${how}.${lines.length > 0 ? ` It had printed: ${lines.join(' | ')}` : ''}` });
}

program.stdout.setEncoding('utf8').on('data', (text: string) => {
  const lines = (line + text).split('\n');
  line = lines.pop() ?? '';
  for (const whole of lines) {
    const answer = readAnswer(whole);
    if (answer) tell({ answer });
    else print(`${whole}\n`);
  }
  if (line.length > LONGEST_LINE) {
    print(line);
    line = '';
  }
});
program.stderr.setEncoding('utf8').on('data', print);
// It may have ended, which is said by its end.
program.stdin.on('error', () => {});
program.once('error', (error) => tell({ ended: `The command could not be started: ${error.message}` }));
program.once('exit', (code, signal) => {
  const say = (): void => end(signal ?? `exit code ${code}`);
  const late = setTimeout(say, OUTPUT_LIMIT_MS);
  program.once('close', () => {
    clearTimeout(late);
    say();
  });
});
parentPort?.on('message', (text: string) => program.stdin.write(text));
