import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from './usage.ts';

/** Throws a UsageError where a file that an option names could not be written: to be found out before the work is done. */
export function checkWritable(option: string, file: string): void {
  const full = path.resolve(file);
  if (isFolder(full)) throw new UsageError(`${option} ${file}: that is a folder.`);
  if (existsSync(full)) {
    if (!isWritable(full)) throw new UsageError(`${option} ${file}: that file cannot be written to.`);
  } else if (!isFolder(path.dirname(full)) || !isWritable(path.dirname(full))) {
    throw new UsageError(`${option} ${file}: that folder does not exist, or cannot be written to.`);
  }
}

/** What ends in a separator is there only as a folder. */
function isFolder(name: string): boolean {
  return existsSync(name + path.sep);
}

function isWritable(name: string): boolean {
  try {
    accessSync(name, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
