import { writeSync } from 'node:fs';

/**
 * Writes a line to standard error, at once and without `process.stderr`: opening that stream makes a pipe non-blocking
 * for everybody who shares it, and the command under the lock does.
 */
export function warn(text: string): void {
  try {
    writeSync(2, `holdfast: ${text}\n`);
  } catch {
    // Nobody reads it any more; there is nobody to tell either.
  }
}
