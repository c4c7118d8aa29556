import { type AddressInfo, createServer } from 'node:net';

/**
 * A loopback port that was free a moment ago. Somebody else may take it before it is used, so whoever starts a server on
 * it must be ready to try another.
 */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
