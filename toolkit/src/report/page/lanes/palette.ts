/** The colours of the lanes, as the style of the page has them at this moment: light, dark, or for paper. */

const NAMES = [
  'text',
  'muted',
  'line',
  'card',
  'holder-a',
  'holder-b',
  'holder-w',
  'danger',
  'danger-soft',
  'fault',
  'idle',
] as const;

export type Palette = Readonly<Record<(typeof NAMES)[number], string>>;

export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Palette;
}

/** A and B have colours of their own, which nothing else has; many waiters share one. */
export function colorOf(by: string | undefined, palette: Palette): string {
  if (by?.startsWith('A')) return palette['holder-a'];
  return by?.startsWith('B') ? palette['holder-b'] : palette['holder-w'];
}
