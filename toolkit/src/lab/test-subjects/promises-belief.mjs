// Its opinion is a promise, which is true whatever it resolves with.
export default {
  name: 'promises-belief',
  server: 'none',
  async open() {
    return {
      async acquire() {
        return { believes: async () => false, async release() {} };
      },
      async close() {},
    };
  },
};
