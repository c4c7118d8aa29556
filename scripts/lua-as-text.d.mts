/** Makes an imported `*.lua` file a module whose default export is the file's text; for the build and for the tests. */
export declare function luaAsText(): {
  name: string;
  load(id: string): Promise<{ code: string; moduleType: 'js'; map: null } | undefined>;
};
