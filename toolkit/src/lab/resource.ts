import type { ChildProcess } from 'node:child_process';
import { processFile } from './process-file.ts';
import type { Reaper } from './reaper.ts';
import { within } from './until.ts';

const READY_LIMIT_MS = 10_000;

/** The lab's side of the protected resource. */
export class Resource {
  readonly #process: ChildProcess;
  readonly port: number;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.port = port;
  }

  static async start(reaper: Reaper, historyFile: string): Promise<Resource> {
    const child = reaper.spawn(process.execPath, [processFile('resource'), historyFile], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const port = new Promise<number>((resolve, reject) => {
      child.once('message', (message: { port: number }) => resolve(message.port));
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(new Error(`The protected resource ended with ${signal ?? code}.`)));
    });
    return new Resource(child, await within('The protected resource starting', port, READY_LIMIT_MS));
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}
