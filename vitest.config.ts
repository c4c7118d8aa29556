import { configDefaults, type ViteUserConfig } from 'vitest/config';
import { ClosingLineReporter } from './scripts/closing-line-reporter.ts';
import { luaAsText } from './scripts/lua-as-text.mjs';

// Tests stand beside the code, and the suffix says what a test needs: `.test.ts` nothing, `.fuzz.test.ts` a seed, which
// it prints, `.contract.test.ts` its server. A test never runs a second time: one that fails now and then is a finding.
const folders = '{lock/src,toolkit/src,scripts,examples}';
const servers = `${folders}/**/*.contract.test.ts`;
// What takes long, and says little that the others do not say. `npm run test:more` runs it.
const long = `${folders}/**/*.long.contract.test.ts`;
const seeded = `${folders}/**/*.fuzz.test.ts`;

const config: ViteUserConfig = {
  plugins: [luaAsText()],
  test: {
    reporters: ['default', new ClosingLineReporter()],
    pool: 'forks',
    // Contract tests mostly wait, for servers and processes of their own: three files at once keep two cores busy.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    exclude: configDefaults.exclude,
    // One kind after the other: what is quick and needs nothing fails first, and nothing else runs beside the servers.
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [`${folders}/**/*.test.ts`],
          exclude: [...configDefaults.exclude, servers, seeded],
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'fuzz', include: [seeded], sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: {
          name: 'contract',
          include: [servers],
          exclude: [...configDefaults.exclude, long],
          sequence: { groupOrder: 2 },
        },
      },
      { extends: true, test: { name: 'more', include: [long], sequence: { groupOrder: 3 } } },
    ],
  },
};

export default config;
