// A program that holds, waits, tries, takes and gives back, all at once, for as long as its standard input is open, with
// no listener for errors of any kind. It says how it stands every 50 ms, and at the end that it has lived.
// Arguments: a module whose default export makes a backend, and the data for it.
import { createLocks, LockError } from 'holdfast';

const [module, data] = process.argv.slice(2);
const { default: createBackend } = await import(module);
const locks = createLocks(await createBackend(JSON.parse(data)), { ttlMs: 1_000, callMs: 500 });
const seen = { rounds: 0, holds: false, losses: 0, errors: {} };
let isOver = false;

/** Does something again and again; what it rejects with must be an error of Holdfast. */
async function forever(what) {
  while (!isOver) {
    try {
      await what();
    } catch (error) {
      const code = error instanceof LockError ? error.code : `not ours: ${error?.stack ?? error}`;
      seen.errors[code] = (seen.errors[code] ?? 0) + 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const rounds = forever(async () => {
  const lease = await locks.lock('round').acquire({ waitMs: 2_000 });
  await lease.release();
  seen.rounds++;
});
const tries = forever(async () => (await locks.lock('tried').tryAcquire())?.release());
const waits = forever(async () => void (await locks.lock('busy').acquire({ waitMs: 100 })));
const aborts = forever(async () => void (await locks.lock('busy').acquire({ signal: AbortSignal.timeout(30) })));
const holds = forever(async () => {
  const lease = await locks.lock('held').acquire({ waitMs: 2_000 });
  while (lease.state !== 'lost' && !isOver) {
    seen.holds = lease.state === 'held';
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  seen.holds = false;
  if (lease.state === 'lost') seen.losses++;
  await lease.release();
});

const telling = setInterval(() => console.log(JSON.stringify(seen)), 50);
process.stdin.resume();
process.stdin.once('end', async () => {
  isOver = true;
  await Promise.all([rounds, tries, waits, aborts, holds]);
  await locks.close();
  clearInterval(telling);
  process.stdin.destroy();
  console.log(JSON.stringify(seen));
});
