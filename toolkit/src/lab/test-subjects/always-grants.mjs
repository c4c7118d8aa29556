// Everybody gets it.
export default {
  name: 'always-grants',
  server: 'none',
  async open() {
    return {
      async acquire() {
        return { believes: () => true, async release() {} };
      },
      async close() {},
    };
  },
};
