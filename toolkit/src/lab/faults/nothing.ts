import type { Fault } from './fault.ts';

/** Nothing goes wrong: what is examined is what stands between the lock and its server. */
export const nothing: Fault = {
  holderSurvives: true,
  inject: async () => undefined,
};
