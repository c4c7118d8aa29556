import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { jsonForHtml } from './html.ts';

describe('data in the page', () => {
  it('cannot end its element or begin a comment, and is the same when it is read', () => {
    const hostile = { says: '</script><script>alert(1)</script> <!-- <script \u2028 \u2029 &amp;' };
    const text = jsonForHtml(hostile);
    expect(text).not.toMatch(/[<\u2028\u2029]/);
    expect(JSON.parse(text)).toEqual(hostile);
  });
});

describe('the colours', () => {
  const css = readFileSync(fileURLToPath(new URL('./page/page.css', import.meta.url)), 'utf8');
  const [light = '', dark = ''] = css.split('prefers-color-scheme: dark');

  /** Text on what it stands on. */
  const pairs = [
    ['text', 'back'],
    ['text', 'card'],
    ['muted', 'back'],
    ['muted', 'card'],
    ['link', 'card'],
    ['good', 'good-soft'],
    ['good', 'card'],
    ['danger', 'danger-tint'],
    ['danger', 'card'],
    ['doubt', 'doubt-soft'],
    ['fault', 'card'],
    ['card', 'holder-a'],
    ['card', 'holder-b'],
  ] as const;

  it.each([
    ['light', light],
    ['dark', dark],
  ])('of every text have a contrast of 4.5 and more: %s', (_, theme) => {
    for (const [front, back] of pairs) {
      expect(contrast(colorOf(front, theme), colorOf(back, theme)), `${front} on ${back}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  function colorOf(name: string, theme: string): readonly number[] {
    const hex = new RegExp(`--${name}: #([0-9a-f]{6});`).exec(theme)?.[1];
    if (hex === undefined) throw new Error(`The style has no --${name}.`);
    return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  }

  /** As WCAG 2 counts it. */
  function contrast(one: readonly number[], other: readonly number[]): number {
    const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (lighter + 0.05) / (darker + 0.05);
  }

  function luminance(color: readonly number[]): number {
    const [red = 0, green = 0, blue = 0] = color.map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
});
