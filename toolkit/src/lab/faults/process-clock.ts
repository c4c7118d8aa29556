/**
 * The date of one process, moved while it runs, and of no other: the machine's clock is left alone.
 *
 * A program on Linux asks for the time by calling a small library that the kernel maps into every process, the vDSO.
 * Here the first bytes of its functions are replaced, in the memory of that one process, by a jump to code of ours in the
 * unused end of the same page: it asks the kernel, and adds an offset to the answer. The program, its libraries and its
 * files stay as they are. It needs the right to write into a process of the same user, as a debugger does.
 *
 * @module
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Why that cannot be done here; undefined if it can. */
export function whyNoClock(platform: NodeJS.Platform, arch: string = process.arch): string | undefined {
  if (platform === 'linux' && arch === 'x64') return undefined;
  return 'Moving the clock of one process is done in its memory, and only for Linux on x86-64.';
}

/** How often one waits for a moment in which no thread of the process is just asking for the time. */
const TRIES = 100;

export class ProcessClock {
  readonly #pid: number;
  /** Where the offset in seconds stands, as soon as the code that adds it is there. */
  #offsetAt: number | undefined;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** From now on the process sees a date that is so many seconds ahead of the machine's, or behind it. */
  async moveTo(seconds: number): Promise<void> {
    const memory = openSync(`/proc/${this.#pid}/mem`, 'r+');
    try {
      this.#offsetAt ??= await this.#patch(memory);
      writeSync(memory, int64(BigInt(seconds)), 0, 8, this.#offsetAt);
    } finally {
      closeSync(memory);
    }
  }

  async #patch(memory: number): Promise<number> {
    const { from, to } = this.#vdso();
    const image = Buffer.alloc(to - from);
    readSync(memory, image, 0, image.length, from);
    const functions = symbolsOf(image);
    const free = (lastUsed(image) + 16) & ~15;
    const { code, entries } = assemble(free + 8, free);
    if (free + 8 + code.length > image.length) throw new Error('The vDSO of this kernel has no room left.');
    await this.#whileOutside({ from, to }, () => {
      writeSync(memory, Buffer.concat([int64(0n), code]), 0, 8 + code.length, from + free);
      for (const [name, entry] of Object.entries(entries)) {
        const at = functions.get(name);
        if (at === undefined) throw new Error(`The vDSO of this kernel has no ${name}.`);
        writeSync(memory, jump(at, entry), 0, 5, from + at);
      }
    });
    return from + free;
  }

  #vdso(): { from: number; to: number } {
    const maps = readFileSync(`/proc/${this.#pid}/maps`, 'utf8');
    const [, from = '', to = ''] = /^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$/m.exec(maps) ?? [];
    if (from === '') throw new Error(`Process ${this.#pid} has no vDSO.`);
    return { from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) };
  }

  /** Does it while the process is stopped, and none of its threads is in the code that is changed. */
  async #whileOutside({ from, to }: { from: number; to: number }, change: () => void): Promise<void> {
    for (let tries = 1; ; tries++) {
      process.kill(this.#pid, 'SIGSTOP');
      try {
        await sleep(5);
        const inside = this.#instructions().some((at) => at >= from && at < to);
        if (!inside) return change();
      } finally {
        process.kill(this.#pid, 'SIGCONT');
      }
      if (tries === TRIES) throw new Error(`Process ${this.#pid} asks for the time without end.`);
      await sleep(5);
    }
  }

  /** Where each thread is: the last field of what the kernel says of its system call. */
  #instructions(): number[] {
    const tasks = `/proc/${this.#pid}/task`;
    return readdirSync(tasks).map((thread) =>
      Number.parseInt(readFileSync(`${tasks}/${thread}/syscall`, 'utf8').trim().split(' ').at(-1) ?? '', 16),
    );
  }
}

/** The functions of an ELF image, by the names in its table of dynamic symbols. */
function symbolsOf(image: Buffer): Map<string, number> {
  const [DYNAMIC_SYMBOLS, SYMBOL_BYTES] = [11, 24];
  const uint64 = (at: number): number => Number(image.readBigUInt64LE(at));
  const sections = { at: uint64(0x28), each: image.readUInt16LE(0x3a), count: image.readUInt16LE(0x3c) };
  const section = (index: number): number => sections.at + index * sections.each;
  const found = new Map<string, number>();
  for (let index = 0; index < sections.count; index++) {
    if (image.readUInt32LE(section(index) + 4) !== DYNAMIC_SYMBOLS) continue;
    const [from, bytes] = [uint64(section(index) + 0x18), uint64(section(index) + 0x20)];
    const names = uint64(section(image.readUInt32LE(section(index) + 0x28)) + 0x18);
    for (let at = from; at < from + bytes; at += SYMBOL_BYTES) {
      const name = names + image.readUInt32LE(at);
      found.set(image.toString('latin1', name, image.indexOf(0, name)), uint64(at + 8));
    }
  }
  return found;
}

function lastUsed(image: Buffer): number {
  let at = image.length - 1;
  while (at > 0 && image[at] === 0) at--;
  return at;
}

/** The three functions that tell the date, for an address in the image and an offset that stands at another. */
function assemble(start: number, offsetAt: number): { code: Buffer; entries: Record<string, number> } {
  const bytes: number[] = [];
  const here = (): number => start + bytes.length;
  const emit = (...more: number[]): void => {
    bytes.push(...more);
  };
  /** An instruction that names the offset relative to its own end. */
  const withOffset = (...opcode: number[]): void => {
    const distance = Buffer.alloc(4);
    distance.writeInt32LE(offsetAt - (here() + opcode.length + 4));
    emit(...opcode, ...distance);
  };
  const systemCall = (number: number): void => emit(0xb8, number, 0, 0, 0, 0x0f, 0x05);
  const [RETURN, ADD_TO_RSI, ADD_TO_RDI] = [0xc3, [0x48, 0x01, 0x0e], [0x48, 0x01, 0x0f]] as const;

  const clockGettime = here(); // (edi: which clock, rsi: seconds and nanoseconds)
  systemCall(228);
  emit(0x85, 0xff, 0x74, 0x05); //  CLOCK_REALTIME is 0: on to the addition
  emit(0x83, 0xff, 0x05, 0x75, 0x0a); // its coarse form is 5: any other clock is left alone
  withOffset(0x48, 0x8b, 0x0d); //  mov rcx, offset
  emit(...ADD_TO_RSI, RETURN);

  const gettimeofday = here(); // (rdi: seconds and microseconds, or nothing)
  systemCall(96);
  emit(0x48, 0x85, 0xff, 0x74, 0x0a);
  withOffset(0x48, 0x8b, 0x0d);
  emit(...ADD_TO_RDI, RETURN);

  const time = here(); // (rdi: where to put the seconds as well, or nothing)
  emit(0x57, 0x31, 0xff); // push rdi; rdi = 0
  systemCall(201);
  emit(0x5f); // pop rdi
  withOffset(0x48, 0x03, 0x05); // add rax, offset
  emit(0x48, 0x85, 0xff, 0x74, 0x03, 0x48, 0x89, 0x07, RETURN);

  return {
    code: Buffer.from(bytes),
    entries: { __vdso_clock_gettime: clockGettime, __vdso_gettimeofday: gettimeofday, __vdso_time: time },
  };
}

function jump(from: number, to: number): Buffer {
  const code = Buffer.from([0xe9, 0, 0, 0, 0]);
  code.writeInt32LE(to - (from + 5), 1);
  return code;
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}
