import { readFile } from 'node:fs/promises';

/**
 * Makes an imported `*.lua` file a module whose default export is the file's text. The build and the tests share it, so
 * that a script lives in a file of its own, where an editor knows its language, and is still one string at run time.
 */
export function luaAsText() {
  return {
    name: 'lua-as-text',
    async load(id) {
      const file = id.split('?', 1)[0];
      if (!file.endsWith('.lua')) return undefined;
      const text = await readFile(file, 'utf8');
      return { code: `export default ${JSON.stringify(text)};\n`, moduleType: 'js', map: null };
    },
  };
}
