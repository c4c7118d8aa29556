/**
 * A program that answers lines with lines, with one question at a time. It runs under a thread, so that the one question
 * that must be answered at once, what the lock believes, can be waited for without a promise.
 *
 * @module
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { type Answer, type Call, throwIfError } from '../command-protocol.ts';
import { processFile } from '../process-file.ts';
import { ContractError } from './contract.ts';

/** What the thread says: an answer, or the end of the program and why. */
export type FromThread = { readonly answer: Answer } | { readonly ended: string };

/** What the thread is started with. */
export interface ThreadData {
  readonly command: string;
  readonly port: MessagePort;
  /** Grows with each message to `port`. */
  readonly said: Int32Array;
}

/** How long an answer may take that involves no I/O, in slices: a stop of this process costs one of them, not all. */
const SLICE_MS = 50;
const SLICES = 40;

interface Pending {
  readonly call: Call['call'];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

export class CommandProcess {
  readonly #thread: Worker;
  readonly #port: MessagePort;
  readonly #said = new Int32Array(new SharedArrayBuffer(4));
  #pending: Pending | undefined;
  #failure: Error | undefined;

  constructor(command: string) {
    const { port1, port2 } = new MessageChannel();
    const workerData: ThreadData = { command, port: port2, said: this.#said };
    this.#port = port1;
    this.#port.on('message', (message: FromThread) => this.#receive(message));
    this.#thread = new Worker(processFile('command'), { workerData, transferList: [port2] });
    this.#thread.on('error', (error) => this.#fail(error));
  }

  /**
   * Rejects with what the program says went wrong, and with a ContractError if it has ended or answers out of turn. How
   * long it may take is a matter of who asks.
   */
  async ask(call: Call): Promise<Answer> {
    const answer = await new Promise<Answer>((resolve, reject) => this.#send(call, resolve, reject));
    throwIfError(call.call, answer);
    return answer;
  }

  /** The same, and nothing else happens in this thread until the answer is there; throws a ContractError if it takes long. */
  askNow(call: Call): Answer {
    let answer: Answer | undefined;
    let problem: Error | undefined;
    this.#send(
      call,
      (given) => {
        answer = given;
      },
      (error) => {
        problem = error;
      },
    );
    for (let slices = 0; answer === undefined; ) {
      if (problem) throw problem;
      const seen = Atomics.load(this.#said, 0);
      const received: { message: FromThread } | undefined = receiveMessageOnPort(this.#port);
      if (received) this.#receive(received.message);
      else if (slices++ < SLICES) Atomics.wait(this.#said, 0, seen, SLICE_MS);
      else this.#fail(new ContractError(`"${call.call}" was not answered within ${SLICES * SLICE_MS} ms.`));
    }
    throwIfError(call.call, answer);
    return answer;
  }

  /** Its standard input ends. What it does then is its own affair: its group is killed with this process. */
  end(): void {
    this.#failure ??= new ContractError('The program is closed.');
    void this.#thread.terminate();
    this.#port.close();
  }

  #send(call: Call, resolve: Pending['resolve'], reject: Pending['reject']): void {
    const { call: name } = call;
    if (this.#failure) {
      reject(this.#failure);
    } else if (this.#pending) {
      reject(new ContractError(`"${name}" was to be asked while "${this.#pending.call}" was not answered yet.`));
    } else {
      this.#pending = { call: name, resolve, reject };
      this.#thread.postMessage(`${JSON.stringify(call)}\n`);
    }
  }

  #receive(message: FromThread): void {
    if ('ended' in message) {
      this.#fail(new ContractError(message.ended));
      return;
    }
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending) pending.resolve(message.answer);
    else
      this.#fail(new ContractError(`Nothing was asked, and it said ${JSON.stringify(message.answer).slice(0, 200)}.`));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#pending?.reject(this.#failure);
    this.#pending = undefined;
  }
}
