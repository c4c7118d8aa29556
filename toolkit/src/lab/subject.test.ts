import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { hostWith } from '../compiler.testing.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(path.join(root, 'docs/lab/subjects.md'), 'utf8');
const [, typed = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];

/** What the compiler says of these files, and of the types they import, as of a user's: no sources of ours, no paths. */
function complaints(texts: Readonly<Record<string, string>>): string[] {
  const files = new Map(Object.entries(texts).map(([name, text]) => [path.join(root, 'examples', name), text]));
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, verbatimModuleSyntax: true, exactOptionalPropertyTypes: true },
    ...{ module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, types: ['node'] },
  };
  const host = hostWith(files, options);
  const program = ts.createProgram({ rootNames: [...files.keys()], options, host });
  return program
    .getSourceFiles()
    .filter(({ fileName }) => files.has(fileName) || fileName.endsWith('toolkit/dist/subject.d.mts'))
    .flatMap((source) => [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)])
    .map(({ file, messageText }) => {
      return `${path.basename(file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
}

describe('the types of a subject', () => {
  it('fit the example of the page, and not a lock that answers whether it holds with a promise', {
    timeout: 120_000,
  }, () => {
    expect(typed).toContain("import type { Subject } from '@holdfast/toolkit/subject'");
    const wrong = typed.replace('believes: () =>', 'believes: async () =>');
    expect(wrong).not.toBe(typed);
    expect(complaints({ 'right.mts': typed, 'wrong.mts': wrong })).toEqual([
      expect.stringMatching(/^wrong\.mts: .*'Promise<boolean>' is not assignable to type 'boolean'/),
    ]);
  });
});
