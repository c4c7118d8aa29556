import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Calls back with each line of a stream. Its errors are for whoever listens to the stream; readline would throw them. */
export function linesOf(stream: Readable, onLine: (line: string) => void): void {
  createInterface({ input: stream })
    .on('line', onLine)
    .on('error', () => {});
}
