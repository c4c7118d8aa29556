/**
 * `holdfast bench`, from its options to its exit code: plan, measure, print, write, and leave nothing behind.
 *
 * @module
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EXIT_CODES } from '../../cli/exit-codes.ts';
import { colors, outputWidth, printLines } from '../../cli/output.ts';
import { UsageError } from '../../cli/usage.ts';
import { checkWritable } from '../../cli/writable.ts';
import { Holder } from '../../lab/holder.ts';
import { endOnSignal } from '../../lab/interrupt.ts';
import { Reaper } from '../../lab/reaper.ts';
import { findServers, type ServerPrograms } from '../../lab/servers/find-server.ts';
import { BACKENDS, missingFor } from '../backends.ts';
import { describeMachine, loadNow } from '../machine.ts';
import { withFigures } from '../page.ts';
import { firstLine } from './compare.ts';
import type { BackendFigures, BenchDocument, NotRun } from './document.ts';
import { measureSubjects } from './measures.ts';
import { expectedMs, type Planned, planBench, settingsOf, type TheirSubject } from './plan.ts';
import { BenchProgress } from './progress.ts';
import type { Settings } from './stage.ts';
import { describeDocument } from './tables.ts';
import { documentLines } from './terminal.ts';

/** What the command line says, as text. */
export interface BenchOptions {
  readonly json?: string;
  readonly rounds?: string;
  readonly quick?: true;
  readonly list?: true;
  readonly subject: readonly string[];
  readonly markdown?: string;
  /** How the run is called, where it is not `npx holdfast bench`: for the page. */
  readonly as: string;
}

/** Resolves with the exit code. Rejects with a UsageError for what cannot be done as it was asked for. */
export async function bench(names: readonly string[], options: BenchOptions): Promise<number> {
  const programs = findServers();
  if (options.list) {
    printLines(listLines(programs));
    return EXIT_CODES.done.code;
  }
  const settings = settingsOf(options);
  const page = pageOf(options);
  if (options.json !== undefined && options.json !== '-') checkWritable('--json', options.json);
  // Whoever reads the progress may stop doing so; the results do not depend on it.
  process.stderr.on('error', () => {});
  const startedAt = new Date();
  const began = performance.now();
  const loadBefore = loadNow();
  const reaper = await Reaper.start();
  const interrupt = endOnSignal(reaper);
  try {
    const { theirs, unusable } = await describeFiles(options.subject, reaper);
    if (options.subject.length > 0 && theirs.length === 0) {
      throw new UsageError(unusable.map(({ name, reason }) => `--subject ${name}: ${reason}`).join('\n'));
    }
    const { planned, notRun } = planBench(names, theirs, programs);
    const progress = new BenchProgress(
      process.stderr,
      planned.map((each) => expectedMs(each, settings)),
    );
    interrupt.signal.addEventListener('abort', () => progress.close(), { once: true });
    const measuring = measureAll(planned, programs, { reaper, settings, progress });
    const measured = await interrupt.unlessInterrupted(measuring).finally(() => progress.close());
    const { warmUpRounds: _, warmUpMs: __, ...told } = settings;
    const document: BenchDocument = {
      document: 'holdfast bench',
      version: 1,
      startedAt: startedAt.toISOString(),
      tookMs: Math.round(performance.now() - began),
      command: commandOf(options, names),
      settings: told,
      machine: describeMachine(loadBefore),
      backends: measured.backends,
      notRun: [...notRun, ...measured.failed, ...unusable],
    };
    write(document, options, page);
    return exitCodeOf(document, measured.failed.length);
  } finally {
    interrupt.dispose();
    await reaper.close();
  }
}

function exitCodeOf({ backends }: BenchDocument, failed: number): number {
  const ours = backends.flatMap(({ subjects }) => subjects.filter(({ id }) => id === 'holdfast' || id === 'raw'));
  if (failed > 0 || ours.some(({ failures }) => failures.length > 0)) return EXIT_CODES.internal.code;
  return backends.length > 0 ? EXIT_CODES.done.code : EXIT_CODES.unavailable.code;
}

interface Measuring {
  readonly reaper: Reaper;
  readonly settings: Settings;
  readonly progress: BenchProgress;
}

async function measureAll(
  planned: readonly Planned[],
  programs: ServerPrograms,
  use: Measuring,
): Promise<{ readonly backends: readonly BackendFigures[]; readonly failed: readonly NotRun[] }> {
  const backends: BackendFigures[] = [];
  const failed: NotRun[] = [];
  for (const [at, each] of planned.entries()) {
    use.progress.begin(at, each.backend.id);
    try {
      backends.push(await measureOne(each, programs, use));
    } catch (error) {
      // The figures of the others are worth having.
      failed.push({ name: each.backend.id, reason: firstLine(error) });
    }
  }
  return { backends, failed };
}

async function measureOne(
  { backend, subjects }: Planned,
  programs: ServerPrograms,
  { reaper, settings, progress }: Measuring,
): Promise<BackendFigures> {
  const began = performance.now();
  const say = (measure: string, detail: string): void => progress.say(measure, detail);
  say('starting', backend.what);
  const folder = path.join(reaper.folder, backend.id);
  mkdirSync(folder);
  const program = backend.server === undefined ? { file: process.execPath } : programs[backend.server];
  if ('missing' in program) throw new Error(program.missing);
  const running = await backend.start({ reaper, program, folder });
  try {
    const figures = await measureSubjects({ reaper, kind: backend.kind, url: running.url, settings, say }, subjects);
    return {
      id: backend.id,
      what: backend.what,
      server: running.version ?? null,
      tookMs: Math.round(performance.now() - began),
      subjects: figures,
    };
  } finally {
    await running.stop();
  }
}

/** Asks each file in a process of its own what it is: it may hang, throw or print. */
async function describeFiles(
  files: readonly string[],
  reaper: Reaper,
): Promise<{ readonly theirs: readonly TheirSubject[]; readonly unusable: readonly NotRun[] }> {
  const theirs: TheirSubject[] = [];
  const unusable: NotRun[] = [];
  for (const given of files) {
    const file = path.resolve(given);
    const historyFile = path.join(reaper.folder, 'describe.jsonl');
    const holder = new Holder({ reaper, by: 'A', historyFile, hideSecrets: (text) => text });
    try {
      await holder.ready();
      theirs.push({ given, file, ...(await holder.ask('describe', { subject: file })) });
    } catch (error) {
      unusable.push({ name: given, reason: firstLine(error).replace(`${file} could not`, 'It could not') });
    } finally {
      holder.kill();
    }
  }
  return { theirs, unusable };
}

function commandOf({ as, quick, rounds, markdown, subject }: BenchOptions, names: readonly string[]): string {
  const own = as === USUAL ? subject.flatMap((file) => ['--subject', file]) : [];
  const args = [
    ...names,
    ...own,
    ...(quick ? ['--quick'] : []),
    ...(rounds === undefined ? [] : ['--rounds', rounds]),
    ...(markdown === undefined ? [] : ['--markdown', markdown]),
  ];
  return [as, ...(args.length > 0 && as.startsWith('npm ') ? ['--'] : []), ...args].join(' ');
}

export const USUAL = 'npx holdfast bench';

/** The page that is to get the figures, with its text; read before anything runs. */
function pageOf({ markdown, as }: BenchOptions): string | undefined {
  if (markdown === undefined) return undefined;
  try {
    const page = readFileSync(markdown, 'utf8');
    withFigures(page, '', as);
    return page;
  } catch (error) {
    throw new UsageError(`--markdown ${markdown}: ${firstLine(error)}`);
  }
}

/** Wider lines are hard to read. */
const WIDEST = 110;

function write(document: BenchDocument, { json, markdown, as }: BenchOptions, page: string | undefined): void {
  const data = `${JSON.stringify(document, undefined, 2)}\n`;
  if (json === '-') process.stdout.write(data);
  else printLines(documentLines(document, Math.min(WIDEST, outputWidth()), colors));
  if (json !== undefined && json !== '-') {
    writeFileSync(json, data);
    process.stderr.write(`holdfast bench: figures as JSON in ${path.resolve(json)}\n`);
  }
  const isWorthPublishing = document.backends.length > 0;
  if (markdown !== undefined && page !== undefined && isWorthPublishing)
    writeFileSync(markdown, withFigures(page, describeDocument(document), as));
}

function listLines(programs: ServerPrograms): string[] {
  const widest = Math.max(...BACKENDS.map(({ id }) => id.length));
  return [
    'Backends:',
    ...BACKENDS.map((backend) => {
      const missing = missingFor(backend, programs);
      return `  ${backend.id.padEnd(widest)}  ${backend.what}${missing === undefined ? '' : `. ${missing}`}`;
    }),
  ];
}
