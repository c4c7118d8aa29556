import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
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
    const child = spawn(process.execPath, [path.join(root, 'examples', file)], {
      env: { ...process.env, XDG_STATE_HOME: home },
    });
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

  it('has no code that is not quoted', () => {
    const blocks = [...readme.matchAll(/```(js|ts)\n/g)];
    expect(blocks.length).toBe(quotes.length);
  });
});
