// Builds both packages, or the ones named: node scripts/build.mjs [lock] [toolkit]
//
// Each build goes to a folder of its own and is moved into dist only when it is whole, file by file and only where a
// file has changed. So a failed build leaves the last good dist in place, two builds at once do not disturb each other,
// and a test that runs meanwhile never sees half a file. Output files are named like their sources, one for one, so that
// a child process can be started by its path and a stack trace names the file it came from.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';
import { luaAsText } from './lua-as-text.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The sources behind the subpaths of lock/package.json, as far as they are there, and the programs it starts. */
function lockEntries() {
  const { exports } = JSON.parse(readFileSync(path.join(root, 'lock/package.json'), 'utf8'));
  return Object.values(exports)
    .map((target) => target.default)
    .filter((file) => file?.endsWith('.mjs'))
    .map((file) => file.replace(/^\.\/dist\//, 'src/').replace(/\.mjs$/, '.ts'))
    .filter((source) => existsSync(path.join(root, 'lock', source)))
    .concat(programsIn('lock'));
}

/** The command line, and every file that it starts as a process of its own. */
function toolkitEntries() {
  const main = 'src/cli/main.ts';
  return [...(existsSync(path.join(root, 'toolkit', main)) ? [main] : []), ...programsIn('toolkit')];
}

/** Files that are started as processes of their own: those stand in folders called `processes`. */
function programsIn(name) {
  const folder = path.join(root, name, 'src');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((file) => path.basename(path.dirname(file)) === 'processes')
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.endsWith('.test.ts'))
    .map((file) => `src/${file.split(path.sep).join('/')}`);
}

/** How long plugins take is of no interest: there is one, and it is ours. */
const checks = { pluginTimings: false };

const packages = {
  lock: { entry: lockEntries, dts: true },
  // People run the toolkit; all that they import of it is what a lock that is examined must look like.
  toolkit: { entry: toolkitEntries, dts: false, more: [buildReportPage, buildSubjectTypes] },
};

/** The types of a subject as one file, with what they need of other files in it. */
async function buildSubjectTypes(cwd, outDir) {
  await build({
    config: false,
    cwd,
    entry: { subject: path.join(cwd, 'src/lab/subject.ts') },
    outDir,
    clean: false,
    format: 'esm',
    dts: { emitDtsOnly: true },
    tsconfig: path.join(root, 'tsconfig.base.json'),
    checks,
    logLevel: 'warn',
    report: false,
  });
}

/** The script of the report page as one file for browsers, and its style beside it. */
async function buildReportPage(cwd, outDir) {
  const page = path.join(cwd, 'src/report/page');
  const folder = path.join(outDir, 'report');
  await build({
    config: false,
    cwd,
    entry: { page: path.join(page, 'main.ts') },
    outDir: folder,
    clean: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    dts: false,
    tsconfig: path.join(page, 'tsconfig.json'),
    outputOptions: { entryFileNames: '[name].js' },
    checks,
    logLevel: 'warn',
    report: false,
  });
  await copyFile(path.join(page, 'page.css'), path.join(folder, 'page.css'));
}

async function buildPackage(name) {
  const cwd = path.join(root, name);
  const entry = packages[name].entry();
  if (entry.length === 0) return `${name}: nothing to build yet`;

  const fresh = await mkdtemp(path.join(cwd, '.build-'));
  try {
    await build({
      config: false,
      cwd,
      entry,
      root: path.join(cwd, 'src'),
      outDir: fresh,
      clean: false,
      unbundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      dts: packages[name].dts,
      tsconfig: path.join(root, 'tsconfig.base.json'),
      plugins: [luaAsText()],
      checks,
      logLevel: 'warn',
      report: false,
    });
    for (const more of packages[name].more ?? []) await more(cwd, fresh);
    const changed = await moveInto(path.join(cwd, 'dist'), fresh);
    return `${name}: ${entry.length} entries, ${changed === 0 ? 'nothing changed' : `${changed} files changed`}`;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Makes `dist` equal to `fresh`, with a rename for each changed file, and gives the number of changes. */
async function moveInto(dist, fresh) {
  await mkdir(dist, { recursive: true });
  const wanted = await filesIn(fresh);
  let changed = 0;
  for (const file of wanted) {
    const target = path.join(dist, file);
    if (await sameContent(path.join(fresh, file), target)) continue;
    await mkdir(path.dirname(target), { recursive: true });
    await rename(path.join(fresh, file), target);
    changed++;
  }
  const kept = new Set(wanted);
  for (const file of await filesIn(dist)) {
    if (kept.has(file)) continue;
    await rm(path.join(dist, file), { force: true });
    changed++;
  }
  return changed;
}

async function filesIn(folder) {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((item) => item.isFile())
    .map((item) => path.relative(folder, path.join(item.parentPath ?? item.path, item.name)));
}

async function sameContent(one, other) {
  try {
    const [a, b] = await Promise.all([readFile(one), readFile(other)]);
    return a.equals(b);
  } catch {
    return false;
  }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(packages);
for (const name of names) {
  if (!(name in packages)) {
    console.error(`build: there is no package "${name}"; the packages are ${Object.keys(packages).join(' and ')}.`);
    process.exit(64);
  }
}
// One package is finished even if the other fails.
const results = await Promise.allSettled(names.map(buildPackage));
results.forEach((result, index) => {
  if (result.status === 'fulfilled') {
    console.error(`build: ${result.value}`);
    return;
  }
  console.error(result.reason?.message ?? result.reason);
  console.error(`build: ${names[index]} failed; its dist is left as it was.`);
  process.exitCode = 1;
});
