/**
 * A history inside `run.json`: packed, since the lines of one check-up would be ten times as much as all that it found.
 *
 * @module
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { type History, parseHistory } from './history.ts';

export interface StoredHistory {
  readonly lines: number;
  /** The text of `history.jsonl`, compressed with gzip, in base64. */
  readonly gzip: string;
}

/** In characters, of which a line has some 150. The longest experiment here writes three quarters of it. */
const LONGEST = 2_000_000;

/** Undefined for one that is so long that a file of many results could not be handled any more. */
export function packHistory(text: string): StoredHistory | undefined {
  if (text.length > LONGEST) return undefined;
  return { lines: text.split('\n').length - 1, gzip: gzipSync(text).toString('base64') };
}

/** Throws for what was not packed so, or is too long once it is unpacked. */
export function unpackHistory({ gzip }: StoredHistory): History {
  const text = gunzipSync(Buffer.from(gzip, 'base64'), { maxOutputLength: 4 * LONGEST });
  return parseHistory(text.toString('utf8'));
}
