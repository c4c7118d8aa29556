// Ends its process in the middle, after it has said why.
export default {
  name: 'quits',
  server: 'none',
  async open() {
    return {
      async acquire() {
        console.error('fatal: no quorum');
        process.exit(3);
      },
      async close() {},
    };
  },
};
