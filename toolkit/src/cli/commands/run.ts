import { basename } from 'node:path';
import { Command, Option } from 'commander';
import { parseDuration } from '../durations.ts';
import { SIGNAL_BASE } from '../exit-codes.ts';
import { endHelpWith, urlOf, urlOption } from '../options.ts';
import { conclude } from '../output.ts';
import { defaultKillAfterMs, whyImpossible } from '../supervision/schedule.ts';
import { UsageError } from '../usage.ts';

interface RunOptions {
  readonly url?: string;
  readonly ttl: string;
  readonly wait: string;
  readonly killAfter?: string;
  readonly atLeast: string;
  readonly purpose?: string;
}

export function runCommand(): Command {
  const command = new Command('run')
    .summary('run a command under a lock')
    .usage('[options] <name> -- <command> [args...]')
    .description(
      'Runs a command while holding a lock. Only one command runs under a name at a time; when the lock is lost, the command ' +
        'and all processes of its session are ended before somebody else can get it.',
    )
    .argument('<name>', 'the name of the lock')
    .argument('<command...>', 'the command and its arguments, after --')
    .addOption(urlOption())
    .addOption(duration('--ttl', 'for how long the lock is given without a renewal', '30s'))
    .addOption(duration('--wait', 'how long to wait for the lock; 0 tries once', '10s'))
    .addOption(
      duration(
        '--kill-after',
        'from SIGTERM to SIGKILL when the command has to end (default: 5s, or a sixth of the TTL)',
      ),
    )
    .addOption(duration('--at-least', 'for how long the lock is kept although the command has ended', '0'))
    .option('--purpose <text>', 'what it is for, as `holdfast who` shows it (default: the name of the command)')
    .action((name: string, words: string[], options: RunOptions) => conclude(false, () => run(name, words, options)));
  return endHelpWith(command, {
    examples: [
      'holdfast run nightly -- ./job.sh',
      'holdfast run nightly --wait 0 -- ./job.sh     # skip it if it runs already',
      'holdfast run nightly --wait 0 --at-least 1m -- ./job.sh      # from many crons',
      'HOLDFAST_URL=redis://cache:6379 holdfast run deploy --ttl 1m -- make deploy',
    ],
    exits: ['usage', 'unavailable', 'internal', 'busy', 'denied', 'config', 'lost', 'notExecutable', 'notFound'],
    notes: [
      `Otherwise the exit code is that of the command, ${SIGNAL_BASE} + n if signal n ended it. When one of ours is meant, standard error says so in a line that starts with "holdfast:".`,
      'The command finds in its environment HOLDFAST_LOCK, the name, and HOLDFAST_TOKEN, the fencing token, to hand to whatever it writes to.',
    ],
  });
}

function duration(flag: string, description: string, byDefault?: string): Option {
  const option = new Option(`${flag} <duration>`, description);
  return byDefault === undefined ? option : option.default(byDefault, byDefault);
}

async function run(name: string, [command, ...args]: string[], options: RunOptions): Promise<number> {
  if (!process.argv.includes('--')) {
    throw new UsageError(
      'The command must come after "--", so that its options are not taken for ours: holdfast run NAME -- COMMAND.',
    );
  }
  if (command === undefined || command === '') throw new UsageError('There is no command after "--".');
  if (process.platform === 'win32')
    throw new UsageError('holdfast run needs process groups, which this system does not have.');
  const ttlMs = parseDuration('--ttl', options.ttl);
  const waitMs = parseDuration('--wait', options.wait);
  const killAfterMs =
    options.killAfter === undefined ? defaultKillAfterMs(ttlMs) : parseDuration('--kill-after', options.killAfter);
  const atLeastMs = parseDuration('--at-least', options.atLeast);
  const impossible = whyImpossible({ ttlMs, killAfterMs });
  if (impossible !== undefined) throw new UsageError(impossible);

  const url = urlOf(options);
  // What a process was started with, anybody can read; what it calls itself is ours to say.
  if (options.url !== undefined) process.title = `holdfast run ${JSON.stringify(name)}`;
  if (url === undefined) {
    const { tellOnce } = await import('../machine-notice.ts');
    tellOnce();
  }
  const { runUnderLock } = await import('../supervision/front.ts');
  const purpose = options.purpose ?? basename(command);
  const terms = { ttlMs, waitMs, killAfterMs, atLeastMs };
  return runUnderLock({ kind: 'start', url, lockName: name, ...terms, purpose, command, args });
}
