// Blocks its process for good when it is asked for the lock, and prints a lot before.
export default {
  name: 'hangs',
  server: 'none',
  async open() {
    console.log('x'.repeat(1_000_000));
    return {
      async acquire() {
        for (;;);
      },
      async close() {},
    };
  },
};
