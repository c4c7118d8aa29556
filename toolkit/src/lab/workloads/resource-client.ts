/**
 * How a holder reaches the protected resource: requests and answers as lines of JSON over a loopback connection.
 *
 * @module
 */
import { connect, type Socket } from 'node:net';
import type { HoldId } from '../history.ts';
import { linesOf } from '../lines-of.ts';
import type { Answers, Update } from './registers.ts';

export interface Access {
  readonly id: number;
  readonly access: 'read' | 'write';
  readonly hold: HoldId;
  readonly token?: string;
  /** Only in a write. */
  readonly updates?: { readonly open: Update; readonly guarded: Update };
}

export interface AccessAnswer extends Answers {
  readonly id: number;
}

export class ResourceClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, { resolve: (answer: AccessAnswer) => void; reject: (error: Error) => void }>();
  #lastId = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    linesOf(socket, (line) => {
      const answer = JSON.parse(line) as AccessAnswer;
      this.#waiting.get(answer.id)?.resolve(answer);
      this.#waiting.delete(answer.id);
    });
    const end = (error?: Error): void => {
      for (const { reject } of this.#waiting.values()) {
        reject(new Error('The connection to the protected resource has ended.', { cause: error }));
      }
      this.#waiting.clear();
    };
    socket.on('error', end).on('close', () => end());
  }

  static connect(port: number): Promise<ResourceClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new ResourceClient(socket));
      });
    });
  }

  /** Resolves with the resource's answer; rejects if none will come, and then nobody knows whether it was done. */
  send(access: Omit<Access, 'id'>): Promise<AccessAnswer> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.write(`${JSON.stringify({ id, ...access })}\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
