import { describe, expect, it } from 'vitest';
import { exposure } from './exposure.ts';
import { granted, history, reads, type Said, writes } from './hand-written.testing.ts';

const { check } = exposure;
const bothHolds: Said[] = [...granted('A1', 0), ...granted('B1', 100)];
const write = (seq: number, hold: string): Said => writes(seq, seq + 100, hold, { open: [0, seq] });
const read = (seq: number, hold: string): Said => reads(seq, seq + 100, hold, 0);

describe('the proof of exposure', () => {
  it('is there when the old holder wrote and read between two accesses of its rival', () => {
    expect(check(history(bothHolds, read(1, 'B1'), write(2, 'A1'), read(3, 'A1'), write(4, 'B1'))).verdict).toBe(
      'safe',
    );
  });

  it('needs no order between that read and that write', () => {
    expect(check(history(bothHolds, read(1, 'B1'), read(2, 'A1'), write(3, 'A1'), write(4, 'B1'))).verdict).toBe(
      'safe',
    );
  });

  it('is missing when the old holder only wrote', () => {
    expect(check(history(bothHolds, read(1, 'B1'), write(2, 'A1'), write(3, 'B1'))).verdict).toBe('unknown');
  });

  it('is missing when the old holder only read', () => {
    expect(check(history(bothHolds, read(1, 'B1'), read(2, 'A1'), write(3, 'B1'))).verdict).toBe('unknown');
  });

  it('is missing when the old holder came before its rival', () => {
    expect(check(history(bothHolds, read(1, 'A1'), write(2, 'A1'), read(3, 'B1'), write(4, 'B1'))).verdict).toBe(
      'unknown',
    );
  });

  it('is missing when the rival was finished by then, and could not be damaged any more', () => {
    expect(check(history(bothHolds, read(1, 'B1'), write(2, 'B1'), read(3, 'A1'), write(4, 'A1'))).verdict).toBe(
      'unknown',
    );
  });

  it('is missing when the rival never came', () => {
    expect(check(history(bothHolds, read(1, 'A1'), write(2, 'A1'))).verdict).toBe('unknown');
  });

  it('is missing when nobody else was granted the lock', () => {
    expect(check(history(granted('A1', 0), read(1, 'A1'), write(2, 'A1'))).verdict).toBe('unknown');
  });

  it('does not take the newer holder for the stale one', () => {
    expect(check(history(bothHolds, read(1, 'A1'), read(2, 'B1'), write(3, 'B1'), write(4, 'A1'))).verdict).toBe(
      'unknown',
    );
  });
});
