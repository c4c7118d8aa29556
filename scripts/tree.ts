import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

// The repository as data: its files, and who imports whom. Paths are relative to the root, with forward slashes.

const root: string = fileURLToPath(new URL('..', import.meta.url));

export interface Import {
  /** As it stands in the source: `./lease.ts`, `node:fs`, `ioredis`. */
  readonly specifier: string;
  /** The file it means, for a relative one. */
  readonly file: string | undefined;
}

export function exists(file: string): boolean {
  return existsSync(path.join(root, file));
}

export function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** The parsed JSON of a file, of which the caller knows the shape. */
export function readJson<Shape>(file: string): Shape {
  return JSON.parse(read(file)) as Shape;
}

/** A JSON file with comments, as tsconfig.json is. */
export function readJsonWithComments<Shape>(file: string): Shape {
  const { config, error } = ts.parseConfigFileTextToJson(file, read(file));
  if (error) throw new Error(`${file} is not readable: ${ts.flattenDiagnosticMessageText(error.messageText, ' ')}`);
  return config as Shape;
}

/** Every file of the repository that is or could be committed, whether or not it has been added yet. */
export function allFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return [...new Set(listed.split('\0'))].filter((file) => file !== '' && exists(file)).sort();
}

/** The names of the folders directly inside a folder; none if it is not there. */
export function foldersIn(folder: string): string[] {
  if (!exists(folder)) return [];
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((item) => item.isDirectory())
    .map((item) => item.name)
    .sort();
}

export const isTest = (file: string): boolean => /\.test\.ts$/.test(file);

const isTypeScript = (file: string): boolean => file.endsWith('.ts') && !file.endsWith('.d.ts');

/**
 * What a source file imports, re-exports or names as `new URL('./x.ts', import.meta.url)`, which is how child processes
 * are started.
 */
export function importsOf(file: string): Import[] {
  if (!isTypeScript(file) || !exists(file)) return [];
  const text = read(file);
  const imported = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const named = [...text.matchAll(/new URL\(\s*['"](\.[^'"]+)['"],\s*import\.meta\.url/g)].map(
    (match) => match[1] ?? '',
  );
  return [...imported, ...named].map((specifier) => ({
    specifier,
    file: specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : undefined,
  }));
}

/** All files that can be reached from these by imports, themselves included. */
export function reachableFrom(entries: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const open = entries.filter(exists);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const { file: next } of importsOf(file)) {
      if (next !== undefined && isFile(next)) open.push(next);
    }
  }
  return reached;
}

function isFile(file: string): boolean {
  return exists(file) && !foldersIn(path.posix.dirname(file)).includes(path.posix.basename(file));
}

export function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
}

/** Every node of a file, from the outside in. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesOf(child);
}
