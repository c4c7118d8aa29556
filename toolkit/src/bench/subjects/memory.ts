import { memoryBackend } from 'holdfast/memory';
import { ofBackend } from './ours.ts';
import type { SubjectKind } from './subject.ts';

/** What our core costs by itself. There is nothing to hold it against, and no other process that could wait. */
export const memory: SubjectKind = {
  async ours({ ttlMs }) {
    const { pair, hold } = ofBackend(memoryBackend(), ttlMs);
    return { pair, ...(hold === undefined ? {} : { hold }) };
  },
};
