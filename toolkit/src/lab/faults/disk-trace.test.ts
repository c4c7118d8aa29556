import { describe, expect, it } from 'vitest';
import { syncedBytes, writtenBytes } from './disk-trace.ts';

describe('what had reached the disk', () => {
  it('is nothing where nothing was synced', () => {
    expect(syncedBytes('strace: Process 7 attached\n[pid 7] write(8, "*3\\r\\n"..., 108) = 108')).toBe(0);
  });

  it('is what was written before the last call that has returned', () => {
    const trace = [
      '[pid 7] write(8, "*3\\r\\n$3\\r\\nSET"..., 100) = 100',
      '[pid 9] fdatasync(8)                = 0',
      '[pid 7] write(8, "*3\\r\\n$3\\r\\nSET"..., 50) = 50',
    ];
    expect(syncedBytes(trace.join('\n'))).toBe(100);
  });

  it('is what was written before that call began, and not while it ran', () => {
    const trace = [
      '[pid 7] write(8, "a", 100)          = 100',
      '[pid 9] fdatasync(8 <unfinished ...>',
      '[pid 7] write(8, "b", 50)           = 50',
      '[pid 9] <... fdatasync resumed>)    = 0',
    ];
    expect(syncedBytes(trace.join('\n'))).toBe(100);
  });

  it('does not count a call that never returned, or failed', () => {
    const trace = ['[pid 7] write(8, "a", 100) = 100', '[pid 9] fdatasync(8 <unfinished ...>'];
    expect(syncedBytes(trace.join('\n'))).toBe(0);
    expect(syncedBytes('[pid 7] write(8, "a", 1) = 1\n[pid 9] fdatasync(8) = -1 EIO (Input/output error)')).toBe(0);
  });

  it('counts a write that was interrupted in the trace once', () => {
    const trace = [
      '[pid 7] write(8, "a", 100 <unfinished ...>',
      '[pid 7] <... write resumed>)        = 100',
      '[pid 7] fdatasync(8)                = 0',
    ];
    expect(syncedBytes(trace.join('\n'))).toBe(100);
  });
});

it('what was written is counted whether it was synced or not', () => {
  const trace = [
    '[pid 7] write(8, "a", 100 <unfinished ...>',
    '[pid 7] <... write resumed>)        = 100',
    '[pid 9] fdatasync(8)                = 0',
    '[pid 7] write(8, "b", 50)           = 50',
  ];
  expect(writtenBytes(trace.join('\n'))).toBe(150);
});
