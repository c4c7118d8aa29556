/**
 * Whether a lock that is given back comes to the one who waits for it, how soon, and whether the release itself went well.
 *
 * @module
 */
import { span } from '../format.ts';
import type { Entry, History } from '../history.ts';
import type { Checker, Finding } from './checker.ts';
import { holdsOf } from './holds.ts';

type Release = Extract<Entry, { f: 'release' }>;
type Asked = Extract<Entry, { f: 'acquire'; type: 'invoke' }>;

/** Who is refused sooner than after this part of the time that it was to wait has been refused for another reason. */
const PART_OF_WAIT = 0.5;

export const handOver: Checker = { id: 'hand-over', check };

function check(history: History): Finding {
  const holds = holdsOf(history);
  const releases = history.entries.filter(
    (entry): entry is Release & { type: 'invoke' } => entry.f === 'release' && entry.type === 'invoke',
  );
  const failures = failedReleases(history);
  const refusals = releases.flatMap((release) => {
    const refused = refusalAfter(release, history);
    return refused ? [{ ...refused, hold: release.hold }] : [];
  });
  const inVain = refusals.filter(({ waitedMs, waitMs }) => waitedMs >= PART_OF_WAIT * waitMs);
  if (inVain.length > 0) {
    const says = inVain.map(
      ({ by, waitedMs, hold }) =>
        `${by} waited for the lock, and did not get it within ${span(waitedMs)} after ${hold} was given back.`,
    );
    return { verdict: 'unsafe', evidence: [...says, ...failures] };
  }
  if (failures.length > 0) return { verdict: 'unknown', evidence: failures };

  const handOvers = releases.flatMap(({ at, by }) => {
    // Who had asked before, and was served next.
    const next = holds.find((hold) => hold.by !== by && hold.asked < at && hold.granted >= at);
    return next ? [{ ms: next.granted - at, from: by, to: next.by }] : [];
  });
  const [first] = handOvers;
  if (!first) return { verdict: 'unknown', evidence: [whyNobody(refusals, history)] };
  const handOverMs = Math.round(first.ms * 10) / 10;
  const evidence = `${first.to} had the lock ${span(handOverMs)} after ${first.from} had sent its release.`;
  return { verdict: 'safe', evidence: [evidence], figures: { handOverMs } };
}

/** The releases that rejected although nothing had gone wrong before. After a fault they may have every reason to. */
function failedReleases({ entries }: History): string[] {
  const faultAt = entries.find((entry) => entry.f === 'fault')?.at ?? Number.POSITIVE_INFINITY;
  return entries.flatMap((entry) =>
    entry.f === 'release' && entry.type === 'info' && entry.at < faultAt
      ? [`The release of ${entry.hold} failed, and nothing had gone wrong before: ${entry.error}`]
      : [],
  );
}

interface Refusal {
  readonly by: string;
  /** From the release to the refusal. */
  readonly waitedMs: number;
  /** How long it was ready to wait, from its question on. */
  readonly waitMs: number;
}

/** Of one who had asked before this release, and was told after it that the lock is not to be had. */
function refusalAfter(release: Release, history: History): Refusal | undefined {
  const refused = refusedOf(history).find(
    ({ by, askedAt, at }) => by !== release.by && askedAt < release.at && at > release.at,
  );
  return refused && { by: refused.by, waitedMs: refused.at - release.at, waitMs: refused.waitMs };
}

/** Where nobody was served, and nobody has waited in vain: what is known of those who asked. */
function whyNobody(refusals: readonly (Refusal & { readonly hold: string })[], history: History): string {
  const early = refusedOf(history).find(({ askedAt, at, waitMs }) => at - askedAt < PART_OF_WAIT * waitMs);
  if (early) {
    return `${early.by} was refused after ${span(early.at - early.askedAt)}, and was to wait for ${span(early.waitMs)}.`;
  }
  const [short] = refusals;
  if (!short) return 'Nobody waited for the lock when it was given back.';
  return `${short.by} was refused ${span(short.waitedMs)} after ${short.hold} was given back, which is too soon to tell.`;
}

interface Refused {
  readonly by: string;
  readonly askedAt: number;
  readonly at: number;
  readonly waitMs: number;
}

/** All questions for the lock to which the answer was no. */
function refusedOf({ entries }: History): readonly Refused[] {
  const asked = new Map<string, Asked>();
  return entries.flatMap((entry) => {
    if (entry.f !== 'acquire') return [];
    const { by, op, at } = entry;
    if (entry.type === 'invoke') asked.set(`${by} ${op}`, entry);
    const question = asked.get(`${by} ${op}`);
    return entry.type === 'fail' && question ? [{ by, askedAt: question.at, at, waitMs: question.waitMs }] : [];
  });
}
