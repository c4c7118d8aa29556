import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The built file of a process (or a thread) of the lab: beside this file, or in dist when this file runs as a source, in a test. */
export function processFile(name: 'command' | 'holder' | 'reaper' | 'resource'): string {
  const isSource = import.meta.url.endsWith('.ts');
  const folder = isSource ? '../../dist/lab/processes' : './processes';
  const file = fileURLToPath(new URL(`${folder}/${name}.mjs`, import.meta.url));
  if (!existsSync(file))
    throw new Error(`${file} is missing. The lab starts built processes: npm run build makes them.`);
  return file;
}
