import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const examples = readdirSync(path.join(root, 'examples')).filter((file) => file.endsWith('.mjs'));

/** Examples that need no server, and what they print. The others are run by the tests of what they show. */
const STANDALONE: Readonly<Record<string, RegExp>> = {
  'quick-start.mjs': /charged once.*ours/,
  'losing-a-lease-in-a-test.mjs': /was told/,
  'guarded-http-service.mjs': /comes late: 412/,
};

function run(file: string): Promise<{ code: number | null; output: string }> {
  const home = mkdtempSync(path.join(tmpdir(), 'holdfast-example-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return new Promise((resolve) => {
    // From standard input, so that a line can be another one.
    const child = spawn(process.execPath, ['--input-type=module', '-'], {
      cwd: path.join(root, 'examples'),
      env: { ...process.env, XDG_STATE_HOME: home },
    });
    child.stdin.end(forThisNode(readFileSync(path.join(root, 'examples', file), 'utf8')));
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** The code with the line that its comment names for a Node that has no SQLite of its own, where that is this one. */
function forThisNode(code: string): string {
  return isBuiltin('node:sqlite') ? code : code.replace(/^.* \/\/ before Node 22\.13: (.*)$/m, '$1');
}

describe('an example', () => {
  it.for(Object.entries(STANDALONE))('%s runs and says what it should', async ([file, expected]) => {
    const { code, output } = await run(file);
    expect(output).toMatch(expected);
    expect(code).toBe(0);
  });
});

describe('the README', () => {
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
  const quotes = [...readme.matchAll(/<!-- from examples\/(\S+) -->\n```js\n([\s\S]*?)```/g)];

  it('quotes its code from examples that are there', () => {
    expect(quotes.length).toBeGreaterThan(2);
    for (const [, file = '', code = ''] of quotes) {
      expect(examples).toContain(file);
      expect(readFileSync(path.join(root, 'examples', file), 'utf8'), `the quote from ${file}`).toContain(code.trim());
    }
  });

  it('quotes code that stands by itself: nothing unknown is used, and nothing imported is not', () => {
    expect(unknownAndUnused("import { a, b } from 'c';\nawait b(d, process);")).toEqual(['a', 'd']);
    for (const [, file = '', code = ''] of quotes) expect(unknownAndUnused(code), `the quote from ${file}`).toEqual([]);
  });

  it('has no code that is not quoted', () => {
    const blocks = [...readme.matchAll(/```(js|ts)\n/g)];
    expect(blocks.length).toBe(quotes.length);
  });
});

/** The names that a module uses and does not have, and those that it imports and does not use. */
function unknownAndUnused(code: string): string[] {
  const source = ts.createSourceFile('quote.mts', code, ts.ScriptTarget.ESNext, true);
  const options: ts.CompilerOptions = { noLib: true, noResolve: true, types: [], noUnusedLocals: true };
  const host = ts.createCompilerHost(options);
  const program = ts.createProgram(['quote.mts'], options, {
    ...host,
    getSourceFile: (name) => (name === 'quote.mts' ? source : undefined),
  });
  const imports = source.statements.filter(ts.isImportDeclaration);
  return program.getSemanticDiagnostics(source).flatMap(({ messageText, start = 0 }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, ' ');
    const [, unknown] = /^Cannot find name '(\w+)'/.exec(text) ?? [];
    if (unknown !== undefined) return unknown in globalThis ? [] : [unknown];
    const [, unused] = /^'(.+?)' is declared but its value is never read/.exec(text) ?? [];
    return unused !== undefined && imports.some(({ pos, end }) => pos <= start && start < end) ? [unused] : [];
  });
}
