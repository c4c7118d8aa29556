/** A Lua script, imported as its text; scripts/lua-as-text.mjs does it in the build and in the tests. */
declare module '*.lua' {
  const text: string;
  export default text;
}
