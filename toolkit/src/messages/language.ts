/** The languages that the check-up speaks. Its sentences are written in English; `translate.ts` says them in the other. */
export const LANGUAGES = ['en', 'zh'] as const;

export type Language = (typeof LANGUAGES)[number];
