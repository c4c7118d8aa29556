// A service that refuses a holder which has been overtaken: each request carries the token of its lease.
import { createServer } from 'node:http';
import { createLocks } from 'holdfast';
import { checkFencingToken } from 'holdfast/guards/http';
import { memoryGuard } from 'holdfast/guards/memory';
import { memoryBackend } from 'holdfast/memory';

// The service. It takes tokens of one source, and the first access of a newer holder shuts the older ones out.
const backend = memoryBackend();
const guard = memoryGuard({ source: backend.tokenSource });
const service = createServer(async (request, response) => {
  const refusal = await checkFencingToken(guard, request.url, request.headers);
  response.writeHead(refusal?.status ?? 200, refusal?.headers).end(refusal?.body ?? 'done\n');
});
await new Promise((resolve) => service.listen(0, '127.0.0.1', resolve));

// Two holders, one after the other.
const locks = createLocks(backend);
const access = async (lease) => {
  const url = `http://127.0.0.1:${service.address().port}/orders/1001`;
  const { status } = await fetch(url, { headers: { 'fencing-token': String(lease.fencingToken) } });
  return status;
};
const earlier = await locks.lock('order:1001').acquire();
console.log('the holder is served:', await access(earlier)); // 200
await earlier.release();
const later = await locks.lock('order:1001').acquire();
console.log('the next one, too:', await access(later)); // 200
console.log('the earlier one comes late:', await access(earlier)); // 412

await locks.close();
service.closeAllConnections();
service.close();
