import type { Opener } from '../client.ts';

/** `options` are those of node:sqlite; libsql has others. */
export function loadEngine(wanted?: string): Promise<{
  readonly name: string;
  readonly open: (path: string, options?: object) => ReturnType<Opener>;
}>;
