import { describe, expect, it } from 'vitest';
import { cut, fit, printable, widthOf, withoutPasswords } from './text.ts';

describe('a message with a URL', () => {
  it.each([
    ["unknown option '--ur=redis://u:secret@h'", "unknown option '--ur=redis://u:***@h'"],
    ['is "redis://:s@c/ret@h:6379/0".', 'is "redis://:***@h:6379/0".'],
    ['redis://h:6379/0 and me@example.com', 'redis://h:6379/0 and me@example.com'],
  ])('shows no password: %s', (text, shown) => {
    expect(withoutPasswords(text)).toBe(shown);
    expect(withoutPasswords(shown)).toBe(shown);
  });
});

describe('a name on a terminal', () => {
  it('cannot move the cursor, break the line or turn the direction of writing', () => {
    expect(printable('a\u001b[2Jb\nc\td\u202ee\u0000')).toBe('a\\u{1b}[2Jb\\nc\\td\\u{202e}e\\u{0}');
  });

  it('is otherwise shown as it is', () => {
    for (const name of ['order:1001', 'Größe', '锁-1', '👩‍💻', 'é']) expect(printable(name)).toBe(name);
  });

  it.each([
    ['abc', 3],
    ['锁定', 4],
    ['ｱｲ', 2],
    ['ｆｕ', 4],
    ['e\u0301', 1],
    ['👩‍💻', 2],
    ['한글', 4],
    ['', 0],
  ])('%s takes %d columns', (text, width) => expect(widthOf(text)).toBe(width));

  it('is cut with an ellipsis where it is too wide, and never in the middle of a character', () => {
    expect(cut('nightly', 7)).toBe('nightly');
    expect(cut('nightly', 6)).toBe('night…');
    expect(cut('锁定锁定', 6)).toBe('锁定…');
    expect(cut('锁定锁定', 4)).toBe('锁…');
  });

  it('is filled to its column on the side that the column says', () => {
    expect(fit('ab', 4)).toBe('ab  ');
    expect(fit('ab', 4, 'right')).toBe('  ab');
    expect(fit('锁定锁', 5)).toBe('锁定…');
    expect(fit('锁定锁', 4)).toBe('锁… ');
  });
});
