/**
 * What strace tells of a file that is written and brought to the disk.
 *
 * @module
 */

/** How many of the bytes that were written had been written when the last `fdatasync` began that has returned. */
export function syncedBytes(trace: string): number {
  let written = 0;
  let begun = 0;
  let synced = 0;
  for (const line of trace.split('\n')) {
    const wrote = /\bwrite(?:\(| resumed).*= (\d+)$/.exec(line)?.[1];
    if (wrote !== undefined) written += Number(wrote);
    if (/\bf(?:data)?sync\(/.test(line)) begun = written;
    if (/\bf(?:data)?sync(?:\(| resumed).*= 0$/.test(line)) synced = begun;
  }
  return synced;
}

/** How many bytes were written, be they on the disk or not. */
export function writtenBytes(trace: string): number {
  const writes = trace.matchAll(/\bwrite(?:\(| resumed).*= (\d+)$/gm);
  return [...writes].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}
