/**
 * Who stands in the line of a lock, in order: also where keys of other locks lie in the same folder, since the name of
 * one goes on from the name of the other (`a/b` beside `a`).
 *
 * @module
 */
import type { Instant } from '../../core/clock.ts';
import type { EtcdClient } from './client.ts';
import { isInLine } from './keys.ts';
import type { KeyValue } from './messages.ts';
import { folder } from './transactions.ts';

const PAGE = 1_000;

/** Where a place stands. `first` and `before` are undefined if it is the first itself. Either may be somebody's data. */
export interface Standing {
  readonly first: KeyValue | undefined;
  readonly before: KeyValue | undefined;
}

/**
 * The standing of the place with this create revision, as two short reads have found it; undefined if one of them has
 * found a key of another lock, which hides what we look for.
 */
export function standing(
  name: string,
  createRevision: bigint,
  first: KeyValue | undefined,
  before: KeyValue | undefined,
): Standing | undefined {
  const found = [first, before].filter((key) => key !== undefined);
  if (!found.every((key) => isInLine(name, key))) return undefined;
  if (first === undefined || first.createRevision === createRevision) return { first: undefined, before: undefined };
  return { first, before };
}

/** The same from the whole line. */
export function standingIn(line: readonly KeyValue[], createRevision: bigint): Standing {
  const ahead = line.filter((each) => each.createRevision < createRevision);
  return { first: ahead.at(0), before: ahead.at(-1) };
}

/** The whole line of a lock, as it was at one moment, with what others keep there. */
export async function lineOf(
  client: EtcdClient,
  name: string,
  deadline: Instant,
  options: { readonly keysOnly: boolean; readonly revision?: bigint },
): Promise<{ readonly line: readonly KeyValue[]; readonly revision: bigint }> {
  const line: KeyValue[] = [];
  let { revision } = options;
  for (let from = 1n; ; ) {
    const page = await client.range(
      {
        ...folder(name, 'ascending'),
        keysOnly: options.keysOnly,
        limit: PAGE,
        minCreateRevision: from,
        ...(revision === undefined ? {} : { revision }),
      },
      deadline,
    );
    revision ??= page.revision;
    line.push(...page.kvs.filter((each) => isInLine(name, each)));
    const last = page.kvs.at(-1);
    if (!page.more || last === undefined) return { line, revision };
    from = last.createRevision + 1n;
  }
}
