// A lock that is a program: it prints a lot, without an end of line, and says nothing when it is asked what it believes.
import { createInterface } from 'node:readline';

const ANSWERS = { describe: { name: 'keeps-silent', server: 'none' }, acquire: { granted: true } };

process.stderr.write('x'.repeat(1_000_000));
process.stdout.write('y'.repeat(1_000_000));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { call } = JSON.parse(line);
  if (call !== 'believes') console.log(`\n${JSON.stringify(ANSWERS[call] ?? {})}`);
});
