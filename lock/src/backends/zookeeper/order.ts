/**
 * Who is before whom: Curator's rule, so that a Java service and this one agree on every lock they share.
 *
 * All children of a lock count, whoever made them. Each is placed by what follows the last `lock-` in its name, or by its
 * whole name if it has none; the names before that are random and must not matter.
 *
 * The number is a signed 32-bit counter of the parent. Up to 2147483647 it has ten digits, and the order of the texts is
 * the order of the numbers; this is all that Curator compares. Then it goes on from -2147483648, and texts lie. From the
 * first negative number on the numbers are compared as a circle, which is cut where its largest gap is: all numbers that
 * are there at one time are close together. (A container that becomes empty starts again from 0 when it is made anew, so
 * that few locks ever get there.)
 *
 * @module
 */

const MARKER = 'lock-';

/** The last contender in the order of Curator. */
const LAST = `${MARKER}2147483647`;

interface Ranked {
  readonly child: string;
  readonly key: string;
  /** Undefined for a child that is not numbered. */
  readonly number: number | undefined;
}

/** The children in the order in which they get the lock. */
export function inOrder(children: readonly string[]): string[] {
  const ranked = children.map(rank);
  const isWrapped = ranked.some(({ number }) => number !== undefined && number < 0);
  if (!isWrapped) return ranked.sort(byKey).map(({ child }) => child);
  const numbered = ranked.filter(({ number }) => number !== undefined);
  const others = ranked.filter(({ number }) => number === undefined).sort(byKey);
  return [
    ...others.filter(({ key }) => key < '-'),
    ...aroundTheCircle(numbered),
    ...others.filter(({ key }) => key >= '-'),
  ].map(({ child }) => child);
}

/** Whether a child comes after all who can enter the line, so that nobody ever waits for it. */
export function isBehindAll(child: string): boolean {
  return inOrder([child, LAST])[0] === LAST;
}

function rank(child: string): Ranked {
  const at = child.lastIndexOf(MARKER);
  const key = at < 0 ? child : child.slice(at + MARKER.length);
  return { child, key, number: /^(-[0-9]{9,10}|[0-9]{10})$/.test(key) ? Number(key) : undefined };
}

/** As Java compares strings: by UTF-16 code units. */
function byKey(one: Ranked, other: Ranked): number {
  return one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
}

function aroundTheCircle(numbered: readonly Ranked[]): Ranked[] {
  // As unsigned numbers the counter rises without a jump from 0 to 2^32 - 1.
  const place = ({ number }: Ranked): number => (number as number) >>> 0;
  const circle = [...numbered].sort((one, other) => place(one) - place(other));
  let first = 0;
  let largestGap = -1;
  for (const [index, each] of circle.entries()) {
    const before = circle.at(index - 1) as Ranked;
    const gap = (place(each) - place(before) + 2 ** 32) % 2 ** 32;
    if (gap > largestGap) [first, largestGap] = [index, gap];
  }
  return [...circle.slice(first), ...circle.slice(0, first)];
}
