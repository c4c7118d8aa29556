import type { Opener } from '../client.ts';

export function loadEngine(wanted?: string): Promise<{ readonly name: string; readonly open: Opener }>;
