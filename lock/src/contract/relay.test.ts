import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const contract = fileURLToPath(new URL('../../dist/contract/relay.mjs', import.meta.url));

it('a process whose relay was closed while a connection was ending ends, too', () => {
  const script = `
    import { once } from 'node:events';
    import { connect, createServer } from 'node:net';
    import { Relay } from ${JSON.stringify(contract)};
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    const relay = await Relay.start(server.address().port);
    const client = connect(relay.port, '127.0.0.1').on('error', () => {});
    const [socket] = await accepted;
    socket.end();
    // The next end is the relay's, which passes this one on: in the same turn it is closed.
    await new Promise((resolve) => {
      const { prototype } = client.constructor;
      const { end } = prototype;
      prototype.end = function () {
        prototype.end = end;
        this.end();
        resolve(relay.close());
      };
    });
    client.destroy();
    server.close();
    console.log('done');`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 10_000 });
  expect(String(output)).toBe('done\n');
});
