// Says by what Node a package wants to be run, where this one is older.
import { readFileSync } from 'node:fs';

/** Throws if the package states in `engines` that it needs a newer Node than this. */
export function checkNode(name) {
  const manifest = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  const { version, engines = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
  const oldest = /^>=\s*(\d+)(?:\.(\d+))?/.exec(engines.node ?? '');
  if (!oldest) return;
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [needed, neededMinor] = [Number(oldest[1]), Number(oldest[2] ?? 0)];
  if (major > needed || (major === needed && minor >= neededMinor)) return;
  throw new Error(`${name} ${version} wants Node ${engines.node}, and this is ${process.version}.`);
}
