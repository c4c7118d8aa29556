import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { experiments } from '../lab/experiments/all.ts';
import { builtInSubjects } from '../lab/subjects/built-in.ts';
import { adviseCommand } from './commands/advise.ts';
import { breakCommand } from './commands/break.ts';
import { checkupCommand } from './commands/checkup.ts';
import { lsCommand } from './commands/ls.ts';
import { migrateCommand } from './commands/migrate.ts';
import { runCommand } from './commands/run.ts';
import { whoCommand } from './commands/who.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(path.join(root, 'docs/troubleshooting.md'), 'utf8');

const commands = new Map<string, Command>(
  [adviseCommand(), breakCommand(), checkupCommand(), lsCommand(), migrateCommand(), runCommand(), whoCommand()].map(
    (command) => [command.name(), command],
  ),
);

describe('the page for troubles', () => {
  it('names only commands and options that there are', () => {
    const named = [...page.matchAll(/holdfast (?:(?=[a-z]+ )|(?=[a-z]+`))([a-z]+)([^`\n#|]*)/g)];
    expect(named.length).toBeGreaterThan(20);
    for (const [line, name = '', rest = ''] of named) {
      const command = commands.get(name);
      if (command === undefined) expect.fail(`There is no command in: ${line}`);
      const flags = rest.split(' -- ')[0]?.match(/--[a-z-]+/g) ?? [];
      for (const flag of flags)
        expect(
          command.options.map(({ long }) => long),
          line,
        ).toContain(flag);
    }
  });

  it('names only experiments and subjects that there are', () => {
    const ids = new Set(experiments.map(({ id }) => id));
    const named = [...page.matchAll(/checkup ([a-z][a-z0-9-]*)/g)].map(([, id = '']) => id);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
    const names = new Set(builtInSubjects.map(({ name }) => name));
    const used = [...page.matchAll(/--subject ([a-z][a-z:-]*)/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });

  it('names only npm scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: object };
    for (const [, script = ''] of page.matchAll(/npm run ([a-z:]+)/g)) expect(Object.keys(scripts)).toContain(script);
  });

  it('refers only to tests that there are', () => {
    const tests = sourcesIn(path.join(root, 'lock/src')).concat(sourcesIn(path.join(root, 'toolkit/src')));
    const texts = tests.map((file) => readFileSync(file, 'utf8')).join('\n');
    const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
    const quoted = rows.flatMap((row) =>
      [...(row.split(' | ').at(-1) ?? '').matchAll(/"([^"]+)"/g)].map(([, name = '']) => name),
    );
    expect(quoted.length).toBeGreaterThan(40);
    const missing = quoted.filter((name) => !texts.includes(`'${name}'`) && !texts.includes(`"${name}"`));
    expect(missing, 'docs/troubleshooting.md names tests that are called otherwise now').toEqual([]);
  });

  it('has for each symptom a cause or a way to look, a remedy, and what shows it', () => {
    const rows = page.split('\n').filter((line) => /^\| (?!---|you see)/.test(line));
    expect(rows.length).toBeGreaterThan(45);
    for (const row of rows) {
      const cells = row.split(/ \| |^\| | \|$/).filter((_cell, index, all) => index > 0 && index < all.length - 1);
      expect(cells.length, row).toBe(5);
      const [symptom, cause = '', look = '', remedy, shown] = cells;
      expect(symptom && remedy && shown && cause + look, row).toBeTruthy();
    }
  });

  it('links only to headings that there are', () => {
    for (const [, file = '', heading = ''] of page.matchAll(/\]\(([^)#]+)#([^)]+)\)/g)) {
      const headings = readFileSync(path.join(root, 'docs', file), 'utf8').match(/^#+ .+$/gm) ?? [];
      expect(headings.map(anchorOf), `${file}#${heading}`).toContain(heading);
    }
  });
});

/** Names of tests stand in test files, in the cases of the contract, and in what several tests share. */
function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.join(folder, file));
}

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}
