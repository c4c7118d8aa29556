/**
 * The protected resource, as a process of its own: it serves accesses in the order in which they arrive, and its record
 * of them is what the checkers believe. It ends with the process that started it.
 *
 * Arguments: the history file. Tells its parent the port it listens on.
 *
 * @module
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { HistoryWriter } from '../history.ts';
import { linesOf } from '../lines-of.ts';
import { type Answers, Registers } from '../workloads/registers.ts';
import type { Access, AccessAnswer } from '../workloads/resource-client.ts';

const [historyFile = ''] = process.argv.slice(2);
const history = new HistoryWriter(historyFile, 'resource');
const registers = new Registers();
let seq = 0;

function serve({ access, hold, token, updates }: Access): Answers {
  const number = token === undefined ? undefined : BigInt(token);
  const answers = access === 'write' && updates ? registers.write(number, updates) : registers.read(number);
  history.write({
    f: 'served',
    type: 'event',
    seq: ++seq,
    access,
    hold,
    ...(token === undefined ? {} : { token }),
    ...(updates
      ? { basedOn: { open: updates.open.basedOn, guarded: token === undefined ? null : updates.guarded.basedOn } }
      : {}),
    ...answers,
  });
  return answers;
}

const server = createServer((socket: Socket) => {
  // A holder that is killed takes its connection with it; that is expected here.
  socket.on('error', () => socket.destroy());
  linesOf(socket, (line) => {
    const access = JSON.parse(line) as Access;
    const answer: AccessAnswer = { id: access.id, ...serve(access) };
    socket.write(`${JSON.stringify(answer)}\n`);
  });
});

process.on('disconnect', () => process.exit());
// It may have happened before anybody listened.
if (!process.connected) process.exit();
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
