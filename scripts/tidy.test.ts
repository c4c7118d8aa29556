import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import {
  allFiles,
  exists,
  foldersIn,
  importsOf,
  isTest,
  nodesOf,
  parse,
  reachableFrom,
  read,
  readJson,
  readJsonWithComments,
} from './tree.ts';

// What ARCHITECTURE.md says about the tree, held to. A rule speaks about the files that are there, and its complaint
// names the file and what to do about it.

interface Manifest {
  readonly version: string;
  readonly exports?: Record<string, string | { readonly types: string; readonly default: string }>;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

const files = allFiles();
const lock = readJson<Manifest>('lock/package.json');
const toolkit = readJson<Manifest>('toolkit/package.json');

const inFolder = (folder: string): string[] => files.filter((file) => file.startsWith(`${folder}/`));
const sourcesOf = (name: string): string[] =>
  inFolder(`${name}/src`).filter((file) => /(?<!\.d)\.ts$|\.lua$/.test(file));

/** The source behind each published subpath: `./redis` -> `lock/src/backends/redis/index.ts`. */
const published = new Map<string, string>();
for (const [subpath, target] of Object.entries(lock.exports ?? {})) {
  if (typeof target === 'string') continue;
  published.set(subpath, `lock/${target.default.replace(/^\.\/dist\//, 'src/').replace(/\.mjs$/, '.ts')}`);
}
const isProgram = (file: string): boolean =>
  ['toolkit/src/cli/main.ts', 'toolkit/src/report/page/main.ts'].includes(file) ||
  (path.posix.basename(path.posix.dirname(file)) === 'processes' && !isTest(file));
const programs = sourcesOf('toolkit').filter(isProgram);
const lockEntries = [...published.values()].filter(exists).concat(sourcesOf('lock').filter(isProgram));

/** What ends up in the packages. Tests and what only they use may do as they like. */
const shippedLock = [...reachableFrom(lockEntries)].sort();
const shippedToolkit = [...reachableFrom(programs)].sort();

/** Fails with one line for each offence. */
function expectNone(offences: readonly string[]): void {
  if (offences.length > 0) expect.fail(`\n${offences.join('\n')}\n`);
}

describe('what is published', () => {
  it('has a source file for every subpath in exports', () => {
    // Until the door itself is there, the package is only being put up.
    if (!exists('lock/src/index.ts')) return;
    expectNone(
      [...published]
        .filter(([, source]) => !exists(source))
        .map(
          ([subpath, source]) =>
            `lock/package.json exports "${subpath}", but ${source} does not exist. Write it, or drop the subpath.`,
        ),
    );
  });

  it('has a subpath in exports for every backend, the contract and the testing tools', () => {
    const doors = ['lock/src/index.ts', 'lock/src/contract/index.ts', 'lock/src/testing/index.ts']
      .concat(foldersIn('lock/src/backends').map((name) => `lock/src/backends/${name}/index.ts`))
      .filter(exists);
    const reached = new Set(published.values());
    expectNone(
      doors
        .filter((door) => !reached.has(door))
        .map((door) => `${door} is not published. Add its subpath to exports in lock/package.json.`),
    );
  });

  it('has an index.ts in the folder of every backend', () => {
    expectNone(
      foldersIn('lock/src/backends')
        .map((name) => `lock/src/backends/${name}`)
        .filter((folder) => inFolder(folder).length > 0 && !exists(`${folder}/index.ts`))
        .map((folder) => `${folder} has no index.ts. A backend's factory and its prose stand there.`),
    );
  });

  it('declares its types right beside its code', () => {
    const offences: string[] = [];
    for (const [subpath, target] of Object.entries(lock.exports ?? {})) {
      if (typeof target === 'string' || target.types === target.default.replace(/\.mjs$/, '.d.mts')) continue;
      offences.push(`lock/package.json: in exports, "types" of "${subpath}" must be "default" with .d.mts for .mjs.`);
    }
    expectNone(offences);
  });

  it('means the same file to the type check as to a user', () => {
    const { compilerOptions } = readJsonWithComments<{ compilerOptions: { paths: Record<string, string[]> } }>(
      'tsconfig.json',
    );
    const { paths } = compilerOptions;
    const offences: string[] = [];
    for (const [subpath, source] of published) {
      const name = subpath === '.' ? 'holdfast' : `holdfast/${subpath.slice(2)}`;
      const pattern = paths[name]?.[0] ?? paths['holdfast/*']?.[0]?.replace('*', subpath.slice(2));
      if (pattern !== `./${source}`)
        offences.push(`tsconfig.json: "paths" sends ${name} to ${pattern}; the package sends it to ${source}.`);
    }
    expectNone(offences);
  });

  it('opens with a door that only re-exports', () => {
    if (!exists('lock/src/index.ts')) return;
    expectNone(
      parse('lock/src/index.ts')
        .statements.filter((statement) => !(ts.isExportDeclaration(statement) && statement.moduleSpecifier))
        .map(
          (statement) => `lock/src/index.ts: "${firstLine(statement)}" is more than a re-export. Move it into core.`,
        ),
    );
  });

  it('has a committed, executable bin', () => {
    const bin = 'toolkit/bin/holdfast.js';
    expect(files, `${bin} is missing. npm links a bin only if its file is there before the build.`).toContain(bin);
    const { mode } = statSync(fileURLToPath(new URL(`../${bin}`, import.meta.url)));
    expect(mode & 0o111, `${bin} is not executable. chmod +x it, and commit that.`).not.toBe(0);
    expect(read(bin)).toMatch(/^#!\/usr\/bin\/env node\n/);
  });
});

describe('who may import whom', () => {
  /** The part of the lock that a file belongs to: `core`, `backends/redis`, `index.ts`. */
  const areaOf = (file: string): string => {
    const [first = '', second = ''] = file.replace(/^lock\/src\//, '').split('/');
    return first === 'backends' ? `backends/${second}` : first;
  };
  /** What each part may import besides itself and Node. A backend that is not named may import core. */
  const arrows: Record<string, readonly string[]> = {
    core: [],
    sql: ['core'],
    'backends/sqlite': ['core', 'sql'],
    'backends/postgres': ['core', 'sql'],
    'backends/mysql': ['core', 'sql'],
    'backends/redlock': ['core', 'backends/redis'],
    guards: ['core'],
    recipes: ['core'],
    contract: ['core'],
    testing: ['core', 'backends/memory'],
  };

  it('lets imports in the lock point only from the outside to the core', () => {
    const offences: string[] = [];
    for (const file of shippedLock) {
      const area = areaOf(file);
      if (area === 'index.ts') continue;
      const allowed = [area, ...(arrows[area] ?? ['core'])];
      for (const { file: target } of importsOf(file)) {
        if (target === undefined || !target.startsWith('lock/src/') || allowed.includes(areaOf(target))) continue;
        offences.push(
          `${file} imports ${target}. From ${area} one may import only ${allowed.join(' and ')}: move what is shared into core, or hand it in.`,
        );
      }
    }
    expectNone(offences);
  });

  it('lets the door re-export core only, so that who imports one backend does not load the others', () => {
    expectNone(
      importsOf('lock/src/index.ts')
        .filter(({ file }) => file === undefined || areaOf(file) !== 'core')
        .map(
          ({ specifier }) => `lock/src/index.ts re-exports from ${specifier}. Publish it under a subpath of its own.`,
        ),
    );
  });

  it('keeps npm packages out of the lock: clients are handed in', () => {
    const offences: string[] = [];
    for (const file of shippedLock) {
      for (const { specifier } of importsOf(file)) {
        if (specifier.startsWith('.') || specifier.startsWith('node:')) continue;
        // The shared suite needs the runner that it runs in; nothing else of the lock loads it.
        if (specifier === 'vitest' && areaOf(file) === 'contract') continue;
        offences.push(
          `${file} imports ${specifier}. The lock has no dependency: describe what you need of it as an interface and let the user hand it in (Node's own modules have the prefix node:).`,
        );
      }
    }
    expectNone(offences);
  });

  it('lets nothing of the lock know the toolkit', () => {
    expectNone(
      sourcesOf('lock').flatMap((file) =>
        importsOf(file)
          .filter(
            (found) => found.specifier.startsWith('@holdfast/') || (found.file && !found.file.startsWith('lock/')),
          )
          .filter((found) => !(isTest(file) && found.file?.startsWith('scripts/')))
          .map(({ specifier }) => `${file} imports ${specifier}. What the lock needs stands in lock/.`),
      ),
    );
  });

  it('lets the toolkit import the lock by its published names only', () => {
    const names = new Set(
      [...published.keys()].map((subpath) => (subpath === '.' ? 'holdfast' : `holdfast/${subpath.slice(2)}`)),
    );
    const offences: string[] = [];
    for (const file of sourcesOf('toolkit')) {
      for (const found of importsOf(file)) {
        if (found.file?.startsWith('lock/'))
          offences.push(`${file} reaches into ${found.file}. Import holdfast or holdfast/…, as a user does.`);
        if (/^holdfast(\/|$)/.test(found.specifier) && !names.has(found.specifier)) {
          offences.push(`${file} imports ${found.specifier}, which lock/package.json does not export.`);
        }
      }
    }
    expectNone(offences);
  });

  it('keeps client libraries in the toolkit where connections are made and where subjects and servers are', () => {
    const clients =
      /^(ioredis|iovalkey|redis|@redis\/.+|@valkey\/.+|libsql|better-sqlite3|node:sqlite|pg|postgres|mysql2|mariadb)(\/.*)?$/;
    const homes = ['connect', 'lab/subjects', 'lab/servers', 'bench'].map((folder) => `toolkit/src/${folder}/`);
    const offences: string[] = [];
    for (const file of shippedToolkit) {
      if (homes.some((home) => file.startsWith(home))) continue;
      for (const { specifier } of importsOf(file)) {
        if (clients.test(specifier))
          offences.push(`${file} imports ${specifier}. Client libraries are loaded only in ${homes.join(', ')}.`);
      }
    }
    expectNone(offences);
  });

  it('lets every import of the toolkit be a dependency of the toolkit', () => {
    const declared = Object.keys(toolkit.dependencies ?? {});
    const offences: string[] = [];
    for (const file of shippedToolkit) {
      for (const { specifier } of importsOf(file)) {
        if (specifier.startsWith('.') || specifier.startsWith('node:')) continue;
        const name = specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/');
        if (!declared.includes(name))
          offences.push(`${file} imports ${specifier}, which is not in "dependencies" of toolkit/package.json.`);
      }
    }
    expectNone(offences);
  });

  it('reaches every source file from something that is published, started or tested', () => {
    // A package without its entry is only being put up.
    const sources = [
      ...(exists('lock/src/index.ts') ? sourcesOf('lock') : []),
      ...(exists('toolkit/src/cli/main.ts') ? sourcesOf('toolkit') : []),
    ];
    const alive = reachableFrom([...lockEntries, ...programs, ...files.filter(isTest)]);
    expectNone(
      sources
        .filter((file) => !alive.has(file))
        .map((file) => `${file} is used by nothing. Use it, test it, or remove it.`),
    );
  });

  it('runs every test file that there is', () => {
    expectNone(
      files
        .filter((file) => /\.(test|spec)\.[a-z]+$/.test(file))
        .filter((file) => !/^(lock\/src|toolkit\/src|scripts|examples)\/.*\.test\.ts$/.test(file))
        .map(
          (file) =>
            `${file} is never run. A test stands beside its code and ends in .test.ts (or .contract.test.ts, .fuzz.test.ts).`,
        ),
    );
  });
});

describe('the core', () => {
  const core = shippedLock.filter((file) => file.startsWith('lock/src/core/'));

  it('takes time and chance by the door, so that a simulator can run it', () => {
    const globals = new Set(['setTimeout', 'setInterval', 'setImmediate', 'performance']);
    const members = new Set([
      'Date.now',
      'Math.random',
      'AbortSignal.timeout',
      'process.hrtime',
      'globalThis.setTimeout',
    ]);
    const modules = new Set(['node:timers', 'node:timers/promises', 'node:perf_hooks']);
    const offences: string[] = [];
    for (const file of core) {
      if (file === 'lock/src/core/clock.ts') continue;
      const complain = (what: string): number =>
        offences.push(
          `${file} uses ${what}. Ask the Clock, or the source of randomness, that was handed in; only core/clock.ts knows the real one.`,
        );
      for (const { specifier } of importsOf(file)) if (modules.has(specifier)) complain(specifier);
      for (const node of nodesOf(parse(file))) {
        if (ts.isPropertyAccessExpression(node) && members.has(node.getText())) complain(node.getText());
        else if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length)
          complain('new Date()');
        else if (ts.isIdentifier(node) && globals.has(node.text) && isBareUse(node)) complain(node.text);
      }
    }
    expectNone(offences);
  });
});

describe('the packages', () => {
  const manifests = ['package.json', 'lock/package.json', 'toolkit/package.json'];
  const rootManifest = readJson<Manifest>('package.json');

  it('carry one version', () => {
    expect(toolkit.version, 'lock/package.json and toolkit/package.json must have the same version.').toBe(
      lock.version,
    );
    expect(
      toolkit.dependencies?.holdfast,
      'toolkit/package.json must depend on exactly this version of holdfast.',
    ).toBe(lock.version);
  });

  it('have a chapter for that version, or for what is to come, in the changelog', () => {
    const headings = [...read('CHANGELOG.md').matchAll(/^## \[?([^\]\s]+)/gm)].map((match) => match[1] ?? '');
    expect(
      headings.some((heading) => heading === 'Unreleased' || heading === lock.version),
      `CHANGELOG.md has neither "## Unreleased" nor "## ${lock.version}".`,
    ).toBe(true);
  });

  it('leave the lock without any dependency', () => {
    const own = ['dependencies', 'peerDependencies', 'optionalDependencies'] as const;
    expectNone(
      own
        .filter((key) => Object.keys(lock[key] ?? {}).length > 0)
        .map(
          (key) => `lock/package.json has ${key}. Clients are handed in; nobody gets a version conflict from a lock.`,
        ),
    );
  });

  it('pin what they use exactly', () => {
    const offences: string[] = [];
    for (const [file, manifest] of [
      [manifests[0], rootManifest],
      [manifests[2], toolkit],
    ] as const) {
      for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
        if (!/^\d+\.\d+\.\d+$/.test(version))
          offences.push(`${file}: "${name}": "${version}" is not one exact version.`);
      }
    }
    expectNone(offences);
  });

  it('come without install scripts', () => {
    const { packages } = readJson<{ packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }> }>(
      'package-lock.json',
    );
    expectNone(
      Object.entries(packages)
        .filter(([name, entry]) => name.startsWith('node_modules/') && entry.hasInstallScript && !entry.dev)
        .map(([name]) => `${name} runs an install script at the user's. npm 12 refuses that: choose another package.`),
    );
  });

  it('lock their dependencies without naming a registry', () => {
    const { packages } = readJson<{ packages: Record<string, { resolved?: string }> }>('package-lock.json');
    expectNone(
      Object.entries(packages)
        .filter(([, entry]) => entry.resolved && /^[a-z+]+:/.test(entry.resolved))
        .map(
          ([name]) =>
            `package-lock.json: ${name} has a "resolved" address. Install with the .npmrc of this repository, which leaves it out.`,
        ),
    );
  });
});

describe('the texts', () => {
  it('speak of the project alone', () => {
    // Put together here, so that this file does not contain what it looks for.
    const forbidden: [RegExp, string][] = [
      [new RegExp(`(?<![\\w.-])/${'wo'}${'rk'}/`), 'a path of one machine'],
      [new RegExp(`\\.\\./${'sha'}${'red'}/`), 'a path outside the repository'],
      [new RegExp(`(?<![\\w-])${'regis'}${'try'}\\.[a-z0-9-]+\\.[a-z]{2,}`), 'the host of a registry'],
    ];
    const offences: string[] = [];
    for (const file of files) {
      if (/\.(png|jpg|webp|gif|ico|woff2?|gz|db)$/.test(file)) continue;
      read(file)
        .split('\n')
        .forEach((text, index) => {
          for (const [pattern, what] of forbidden) {
            if (pattern.test(text))
              offences.push(
                `${file}:${index + 1} names ${what}. It means nothing to a reader elsewhere: leave it out.`,
              );
          }
        });
    }
    expectNone(offences);
  });

  it('link only to files that are there', () => {
    const offences: string[] = [];
    for (const file of files.filter((name) => name.endsWith('.md'))) {
      const prose = read(file)
        .replace(/^(```|~~~)[\s\S]*?^\1/gm, '')
        .replace(/`[^`\n]*`/g, '');
      const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)];
      const references = [...prose.matchAll(/^\s*\[[^\]]+\]:\s+<?(\S+?)>?\s*$/gm)];
      for (const [, target = ''] of [...inline, ...references]) {
        if (/^([a-z][a-z+.-]*:|#|\/\/)/i.test(target)) continue;
        const named = decodeURI(target.replace(/[#?].*$/, ''));
        const linked = named.startsWith('/') ? named.slice(1) : path.posix.join(path.posix.dirname(file), named);
        if (!exists(linked)) offences.push(`${file} links to ${target}, which does not exist.`);
      }
    }
    expectNone(offences);
  });
});

function firstLine(node: ts.Node): string {
  return node.getText().split('\n', 1)[0] ?? '';
}

/** Whether an identifier stands for the global of this name, rather than for a member or a property called so. */
function isBareUse(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node)
    return parent.expression.getText() === 'globalThis';
  const isName = 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
  return !isName && !ts.isTypeQueryNode(parent);
}
