import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HistoryWriter, parseHistory } from './history.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'holdfast-history-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a history file', () => {
  it('has a line before the call that wrote it returns', () => {
    const file = path.join(folder, 'history.jsonl');
    const writer = new HistoryWriter(file, 'A');
    const t = writer.write({ f: 'acquire', type: 'fail', op: writer.nextOperation() });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      t: String(t),
      by: 'A',
      pid: process.pid,
      f: 'acquire',
      type: 'fail',
      op: 1,
    });
    writer.close();
  });

  it('takes lines of several writers, and is read in the order of the clock', () => {
    const file = path.join(folder, 'history.jsonl');
    const [a, b] = [new HistoryWriter(file, 'A'), new HistoryWriter(file, 'B')];
    a.write({ f: 'end', type: 'event' });
    b.write({ f: 'end', type: 'event' });
    a.write({ f: 'end', type: 'event' });
    const { entries, unreadable } = parseHistory(readFileSync(file, 'utf8'));
    expect(entries.map(({ by }) => by)).toEqual(['A', 'B', 'A']);
    expect(entries[0]?.at).toBe(0);
    expect(unreadable).toBe(0);
    a.close();
    b.close();
  });

  it('is sorted where a slower process has written its line later', () => {
    const line = (t: number, by: string): string =>
      JSON.stringify({ t: String(t), by, pid: 1, f: 'end', type: 'event' });
    const { entries } = parseHistory(`${line(3_000_000, 'B')}\n${line(1_000_000, 'A')}\n`);
    expect(entries.map(({ by, at }) => [by, at])).toEqual([
      ['A', 0],
      ['B', 2],
    ]);
  });

  it('keeps nanoseconds apart that a double cannot tell from each other', () => {
    const line = (t: string, by: string): string => JSON.stringify({ t, by, pid: 1, f: 'end', type: 'event' });
    const { entries } = parseHistory(`${line('9007199254740993000001', 'B')}\n${line('9007199254740993000000', 'A')}`);
    expect(entries.map(({ by }) => by)).toEqual(['A', 'B']);
  });

  it('counts lines that were cut off in the middle', () => {
    expect(parseHistory('{"t":"1","by":"A","pid":1,"f":"end","type":"event"}\n{"t":"2","by":').unreadable).toBe(1);
    expect(parseHistory('{"by":"A"}').unreadable).toBe(1);
  });
});
