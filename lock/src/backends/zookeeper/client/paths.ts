/**
 * Which paths ZooKeeper takes.
 *
 * @module
 */

/** Whether the server refuses this UTF-16 code unit: control characters, and everything beyond the basic plane. */
export function isRefused(unit: number): boolean {
  return unit <= 0x1f || (unit >= 0x7f && unit <= 0x9f) || (unit >= 0xd800 && unit <= 0xf8ff) || unit >= 0xfff0;
}

/** Whether it is an absolute path: no empty part, no dots, no refused characters. */
export function isPath(path: string): boolean {
  if (!path.startsWith('/')) return false;
  for (let index = 0; index < path.length; index++) if (isRefused(path.charCodeAt(index))) return false;
  return path
    .slice(1)
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..');
}
