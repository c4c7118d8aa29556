import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { hostWith } from '../compiler.testing.ts';
import { ANSWERS, type AnswerId } from './answers.ts';
import { codeFor } from './code.ts';
import { settingsFor } from './settings.ts';
import { complete, type Situation, type Told } from './situation.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const ALL = Object.keys(ANSWERS) as AnswerId[];
const TARGETS = ['postgres', 'mysql', 'redis', 'etcd', 'service', 'other'] as const;

/** Every opening of a backend with every guard, and every way to hold a lock: by name. */
function programs(): Map<string, string> {
  const found = new Map<string, string>();
  const add = (answer: AnswerId, told: Told): void => {
    const [first] = snippetsOf(answer, told);
    if (first !== undefined && !found.has(first.text)) found.set(first.text, nameOf(answer, told));
  };
  for (const answer of ALL) {
    add(answer, { protects: 'data', resource: 'nothing' });
    for (const writesTo of TARGETS) add(answer, { protects: 'data', resource: 'compare-token', writesTo });
  }
  for (const protects of ['work', 'leader', 'job'] as const) {
    add('session', { protects });
    add('etcd', { protects, resource: 'compare-token', writesTo: 'etcd' });
  }
  return new Map([...found].map(([text, name]) => [name, text]));
}

const nameOf = (answer: AnswerId, told: Told): string => `${answer} ${Object.values(told).join(' ')}`;

/** Enough of them that each part is checked once; more take seconds, and parts meet in names alone. */
function oneOfEachPart(all: ReadonlyMap<string, string>): Map<string, string> {
  const parts = new Map(
    [...all].filter(([name]) => / nothing$|^redis-fenced |^database|^(etcd|session) (?!data)/.test(name)),
  );
  parts.set(
    'etcd data',
    all.get(nameOf('etcd', { protects: 'data', resource: 'compare-token', writesTo: 'etcd' })) ?? '',
  );
  return parts;
}

function snippetsOf(answer: AnswerId, told: Told): ReturnType<typeof codeFor> {
  const situation: Situation = complete(told).situation;
  const { backend } = ANSWERS[answer];
  return codeFor(answer, backend, backend && settingsFor(backend, situation), situation);
}

/** What the compiler has to say, with the sources of the lock in the place of the package. */
function complaints(files: ReadonlyMap<string, string>): string[] {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  const host = hostWith(files, options);
  const program = ts.createProgram({
    rootNames: [...files.keys()],
    // The functions at the end of the programs stand for the user's own, so their parameters have no types.
    options: { ...options, allowJs: true, checkJs: true, noImplicitAny: false, skipLibCheck: true },
    host,
  });
  return [...files.keys()].flatMap((file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${path.basename(file)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  });
}

const asFiles = (texts: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...texts].map(([name, text]) => [path.join(root, 'toolkit/src/advise', `${name}.mjs`), text]));

describe('the code of an answer', () => {
  it('fits the types of lock and clients, and would not with an option that is not there', { timeout: 300_000 }, () => {
    const parts = oneOfEachPart(programs());
    expect(parts.size).toBeGreaterThan(20);
    const wrong = (parts.get('etcd data nothing') ?? '').replace(/ttlMs: [\d_]+/, 'ttl: 30');
    expect(wrong).toContain('ttl: 30');
    expect(complaints(asFiles(parts.set('wrong', wrong)))).toEqual([
      expect.stringMatching(/^wrong.mjs: .*'ttl' does not exist/),
    ]);
  });

  it('says nothing twice, whichever backend and guard come together, and imports what it uses', () => {
    const all = programs();
    expect(all.size).toBeGreaterThan(50);
    for (const [name, text] of all) {
      const names = [...text.matchAll(/^(?:const|let) (\w+)|^import (?:\{ (.+) \}|(\w+)) from/gm)].flatMap(
        ([, constant, several, single]) => constant ?? single ?? several?.split(', ') ?? [],
      );
      expect(new Set(names).size, name).toBe(names.length);
      for (const client of ['fromIoredis', 'Redis', 'createPool', 'pg', 'heldClause', 'LockError']) {
        if (new RegExp(`[^'/.\\w]${client}[(. ;]`).test(text.replace(/^import.*$/gm, '')))
          expect(names, name).toContain(client);
      }
    }
  });

  it('fits into a terminal of 80 columns', () => {
    const lines = [...programs().values()].flatMap((text) => text.split('\n'));
    expect(lines.filter((line) => line.length > 78)).toEqual([]);
  });

  it('uses options of holdfast run that there are', () => {
    const help = readFileSync(path.join(root, 'docs/cli.md'), 'utf8');
    const [, command] = snippetsOf('redis', { protects: 'job' });
    const flags = command?.text.match(/--[a-z-]+/g) ?? [];
    expect(flags).toEqual(['--wait', '--ttl']);
    for (const flag of flags) expect(help).toContain(`| \`${flag}\` |`);
  });
});
