/**
 * The guard of `holdfast run`, a process of its own: it holds the lock, starts the command, and never lets the lock go
 * while the command can still run. It does so also when its front is killed, and tells the front each new end of the
 * lease, so that the front can act if the guard itself is killed or stopped.
 *
 * @module
 */
import { warn } from '../stderr.ts';
import { Guard } from '../supervision/guard.ts';
import { GUARD_MARK, type ToFront, type ToGuard } from '../supervision/protocol.ts';

delete process.env[GUARD_MARK];

// Whoever stops a service sends SIGTERM to all of its processes. What that means for the command is the front's to say.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGPIPE'] as const) {
  process.on(signal, () => undefined);
}

const guard = new Guard({
  tell: (message: ToFront) =>
    new Promise((resolve) => {
      // The front may have gone; then nobody needs to know.
      if (process.send === undefined || !process.connected) return resolve();
      process.send(message, undefined, undefined, () => resolve());
    }),
  warn,
});

process.on('message', (message: ToGuard) => {
  if (message.kind === 'start') {
    process.title = `holdfast: guard of ${JSON.stringify(message.lockName)}`;
    void guard.run(message).finally(() => process.exit());
  } else {
    guard.receive(message);
  }
});
process.on('disconnect', () => guard.frontGone());
