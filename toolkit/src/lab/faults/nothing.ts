import type { Fault } from './fault.ts';

/** Nothing goes wrong. */
export const nothing: Fault = { holderSurvives: true, inject: async () => undefined };
