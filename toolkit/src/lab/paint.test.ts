import { describe, expect, it } from 'vitest';
import { widthOf } from '../cli/text.ts';
import { pad, paragraph } from './paint.ts';

describe('lines of text', () => {
  it('break at spaces, and leave a long word whole', () => {
    expect(paragraph('one two three-and-more four', 8, '')).toEqual(['one two', 'three-and-more', 'four']);
  });

  it('break between Chinese characters, which are two columns wide, but not before a mark', () => {
    const text = '同时有两个持有者，持续 2.73 s。它没有令牌，守卫无从检查（/proc/1/stat 中）。';
    for (const width of [18, 20, 25, 30]) {
      const lines = paragraph(text, width, '  ');
      for (const line of lines) {
        expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(line.trim()).not.toMatch(/^[，。）]|（$/);
      }
      expect(
        lines
          .map((line) => line.trim())
          .join('')
          .replaceAll(' ', ''),
      ).toBe(text.replaceAll(' ', ''));
    }
  });

  it('are filled by width and not by length', () => {
    expect(widthOf(pad('不安全', 10))).toBe(10);
    expect(pad('unsafe', 10)).toBe('unsafe    ');
  });
});
