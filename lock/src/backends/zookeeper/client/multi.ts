/**
 * Several changes in one transaction. The answer has a header before each result that says what it is: a create is
 * answered in its short form by ZooKeeper 3.8, and with its stat by 3.9, whatever was asked for.
 *
 * @module
 */
import { ZooKeeperError } from './errors.ts';
import type { JuteReader, JuteWriter } from './jute.ts';
import { type Acl, type CreateMode, OpCode, readStat, type Stat, writeAcl } from './protocol.ts';

export type Change =
  | {
      readonly do: 'create';
      readonly path: string;
      readonly mode: CreateMode;
      readonly data: Uint8Array;
      readonly acl: readonly Acl[];
    }
  | { readonly do: 'delete'; readonly path: string; readonly version?: number }
  | { readonly do: 'setData'; readonly path: string; readonly data: Uint8Array; readonly version?: number }
  /** Fails the whole if the node is not there, or has another version. */
  | { readonly do: 'check'; readonly path: string; readonly version?: number };

export interface ChangeResult {
  /** The path that was made, for a create. */
  readonly path?: string;
  /** What the node is now, where the server says it. */
  readonly stat?: Stat;
}

const OP_CODES = {
  create: OpCode.create2,
  delete: OpCode.delete,
  setData: OpCode.setData,
  check: OpCode.check,
} as const;

export function writeChanges(writer: JuteWriter, changes: readonly Change[], absolute: (path: string) => string): void {
  for (const change of changes) {
    writer.int(OP_CODES[change.do]).bool(false).int(-1).string(absolute(change.path));
    if (change.do === 'create') {
      writer.buffer(change.data);
      writeAcl(writer, change.acl);
      writer.int(change.mode);
    } else {
      if (change.do === 'setData') writer.buffer(change.data);
      writer.int(change.version ?? -1);
    }
  }
  writer.int(-1).bool(true).int(-1);
}

/** One result for each change. Throws the first refusal: then nothing was done. */
export function readResults(
  reader: JuteReader,
  changes: readonly Change[],
  relative: (path: string) => string,
): ChangeResult[] {
  const results: ChangeResult[] = [];
  for (;;) {
    const type = reader.int();
    const isDone = reader.bool();
    const error = reader.int();
    if (isDone) return results;
    if (type === OpCode.error) {
      // Those before and after the one that failed carry 0, or "rolled back" (-2).
      const code = reader.int();
      const { do: what = 'multi', path = '/' } = changes[results.length] ?? {};
      if (code !== 0 && code !== -2) throw ZooKeeperError.of(code, `the ${what} of a multi`, path);
      results.push({});
    } else if (type === OpCode.create) {
      results.push({ path: relative(reader.string()) });
    } else if (type === OpCode.create2) {
      results.push({ path: relative(reader.string()), stat: readStat(reader) });
    } else if (type === OpCode.setData) {
      results.push({ stat: readStat(reader) });
    } else {
      results.push({});
    }
    if (error !== 0 && type !== OpCode.error) throw ZooKeeperError.of(error, 'the multi', changes[0]?.path ?? '/');
  }
}
