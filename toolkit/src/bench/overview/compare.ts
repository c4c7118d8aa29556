/**
 * Subjects side by side, in alternating rounds, where one that fails does not take the others with it.
 *
 * @module
 */
import { alternate } from '../bench.ts';
import { ratios, type Spread } from '../statistics.ts';

export interface Rounds {
  readonly rounds: number;
  /** Rounds at the beginning that are not counted. */
  readonly warmUp: number;
}

/** What was measured of a subject, by round; or why there is nothing. */
export type Compared<Measured> = { readonly rounds: readonly Measured[] } | { readonly failed: string };

/** A subject that fails once is left out from then on, and what it had done before does not count. */
export async function compare<Measured>(
  ids: readonly string[],
  { rounds, warmUp }: Rounds,
  measure: (id: string, round: number) => Promise<Measured>,
): Promise<ReadonlyMap<string, Compared<Measured>>> {
  const failed = new Map<string, string>();
  const measured = await alternate(
    ids,
    rounds,
    async (id, round) => {
      if (failed.has(id)) return undefined;
      try {
        return await measure(id, round);
      } catch (error) {
        failed.set(id, firstLine(error));
        return undefined;
      }
    },
    warmUp,
  );
  return new Map(
    ids.map((id) => {
      const reason = failed.get(id);
      return [id, reason === undefined ? { rounds: measured[id] as Measured[] } : { failed: reason }];
    }),
  );
}

/** Of one figure, Holdfast to this subject, round by round; null where one of them has none, or for Holdfast itself. */
export function ratioTo<Measured>(
  compared: ReadonlyMap<string, Compared<Measured>>,
  id: string,
  figure: (measured: Measured) => number,
): Spread | null {
  const [ours, theirs] = [compared.get('holdfast'), compared.get(id)];
  if (id === 'holdfast' || ours === undefined || theirs === undefined) return null;
  if ('failed' in ours || 'failed' in theirs) return null;
  return ratios(ours.rounds.map(figure), theirs.rounds.map(figure));
}

/** What an error says first: the rest of it is a trace. */
export function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n', 1)[0] as string).replace(/^(?:\w*Error|Uncaught): /, '');
}
