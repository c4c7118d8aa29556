/**
 * A lock that is a program of its own, as a subject: each `open` starts the program once, and what the lab asks goes to
 * it as lines.
 *
 * @module
 */
import { toldBelief, toldGrant, toldIdentity } from '../command-protocol.ts';
import type { Subject, SubjectHold, SubjectSession } from '../subject.ts';
import { CommandProcess } from './command-process.ts';

/** Starts the command once to ask what it is. Rejects with a ContractError if it does not say so. */
export async function describeCommand(command: string): Promise<ReturnType<typeof toldIdentity>> {
  const program = new CommandProcess(command);
  try {
    return toldIdentity(await program.ask({ call: 'describe' }));
  } finally {
    program.end();
  }
}

export function commandSubject(command: string): Subject {
  return {
    name: command,
    async open({ url }) {
      const program = new CommandProcess(command);
      await program.ask({ call: 'open', url });
      return sessionOf(program);
    },
  };
}

function sessionOf(program: CommandProcess): SubjectSession {
  return {
    async acquire(name, { ttlMs, waitMs }) {
      const grant = toldGrant(await program.ask({ call: 'acquire', name, ttlMs, waitMs }));
      return grant && holdOf(program, grant);
    },
    async close() {
      await program.ask({ call: 'close' });
      program.end();
    },
  };
}

/** An answer that took longer says nothing of now: between the question and it, both may have been stopped. */
const FRESH_MS = 50;

/** On a machine where no answer comes sooner, a late one counts. */
const MOST_QUESTIONS = 5;

function believesNow(program: CommandProcess): boolean {
  for (let questions = 1; ; questions++) {
    const askedAt = performance.now();
    const believes = toldBelief(program.askNow({ call: 'believes' }));
    if (performance.now() - askedAt < FRESH_MS || questions >= MOST_QUESTIONS) return believes;
  }
}

function holdOf(program: CommandProcess, grant: { readonly fencingToken?: string }): SubjectHold {
  return {
    ...grant,
    believes: () => believesNow(program),
    async release() {
      await program.ask({ call: 'release' });
    },
  };
}
