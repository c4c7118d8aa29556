/**
 * The operations on nodes. Paths are below the chroot of the connect string. Each takes part in the order of its
 * session: requests that are made one after the other, without waiting, are worked on in that order.
 *
 * @module
 */
import type { Instant } from '../../../core/clock.ts';
import type { Request } from './connection.ts';
import type { JuteReader, JuteWriter } from './jute.ts';
import { type Change, type ChangeResult, readResults, writeChanges } from './multi.ts';
import { type Acl, CreateMode, OpCode, readAcl, readStat, type Stat, writeAcl } from './protocol.ts';
import { Session, type SessionOptions } from './session.ts';
import type { WatchCallback, WatchKind } from './watches.ts';

export interface ClientOptions extends SessionOptions {
  readonly chroot: string;
}

export interface CreateOptions {
  readonly mode: CreateMode;
  readonly data: Uint8Array;
  readonly acl: readonly Acl[];
}

export interface Created {
  /** The path with the number that the server has put to it. */
  readonly path: string;
  readonly stat: Stat;
}

interface CallOptions {
  /** When the caller stops waiting: then the outcome is unknown. */
  readonly deadline?: Instant;
}

interface ReadOptions extends CallOptions {
  /** Called once, when the node changes or goes. */
  readonly watch?: WatchCallback;
}

export class ZooKeeperClient {
  readonly session: Session;
  readonly #chroot: string;

  constructor(options: ClientOptions) {
    this.#chroot = options.chroot;
    this.session = new Session(options);
  }

  create(path: string, { mode, data, acl }: CreateOptions, options: CallOptions = {}): Promise<Created> {
    return this.#write(options, {
      what: 'the create',
      path,
      opCode: mode === CreateMode.container ? OpCode.createContainer : OpCode.create2,
      write: (writer) => {
        writer.string(this.#absolute(path)).buffer(data);
        writeAcl(writer, acl);
        writer.int(mode);
      },
      read: (reader) => ({ path: this.#relative(reader.string()), stat: readStat(reader) }),
    });
  }

  /** Gives the zxid of the deletion. Rejects with NO_NODE if it is not there. */
  delete(path: string, options: CallOptions & { readonly version?: number } = {}): Promise<bigint> {
    return this.#write(options, {
      what: 'the delete',
      path,
      opCode: OpCode.delete,
      write: (writer) => void writer.string(this.#absolute(path)).int(options.version ?? -1),
      read: (_reader, zxid) => zxid,
    });
  }

  setData(path: string, data: Uint8Array, options: CallOptions & { readonly version?: number } = {}): Promise<Stat> {
    return this.#write(options, {
      what: 'the setData',
      path,
      opCode: OpCode.setData,
      write: (writer) =>
        void writer
          .string(this.#absolute(path))
          .buffer(data)
          .int(options.version ?? -1),
      read: readStat,
    });
  }

  /** Several changes, all of them or none. */
  multi(changes: readonly Change[], options: CallOptions = {}): Promise<ChangeResult[]> {
    return this.#write(options, {
      what: 'the multi',
      path: changes[0]?.path ?? '/',
      opCode: OpCode.multi,
      write: (writer) => writeChanges(writer, changes, (path) => this.#absolute(path)),
      read: (reader) => readResults(reader, changes, (path) => this.#relative(path)),
    });
  }

  /** Resolves when our server knows everything that the leader knew when it was asked. */
  sync(path: string, options: CallOptions = {}): Promise<void> {
    return this.#write(options, {
      what: 'the sync',
      path,
      opCode: OpCode.sync,
      write: (writer) => void writer.string(this.#absolute(path)),
      read: () => undefined,
    });
  }

  /** Null if it is not there; a watch then waits for it. */
  exists(path: string, { watch, ...options }: ReadOptions = {}): Promise<Stat | null> {
    const absolute = this.#absolute(path);
    const request = this.#reading('the exists', path, OpCode.exists, 'data', watch, readStat);
    const refused = (code: string): void => {
      if (code === 'NO_NODE' && watch !== undefined) this.session.watches.add('exist', absolute, watch);
    };
    return this.session
      .send({ ...request, refused }, options.deadline)
      .catch((error: { code?: unknown }) => (error.code === 'NO_NODE' ? null : Promise.reject(error)));
  }

  /** Rejects with NO_NODE if it is not there; then nothing is watched. */
  getData(path: string, { watch, ...options }: ReadOptions = {}): Promise<{ data: Buffer; stat: Stat }> {
    const read = (reader: JuteReader) => ({ data: reader.buffer(), stat: readStat(reader) });
    return this.session.send(this.#reading('the getData', path, OpCode.getData, 'data', watch, read), options.deadline);
  }

  getChildren(path: string, { watch, ...options }: ReadOptions = {}): Promise<{ children: string[]; stat: Stat }> {
    const read = (reader: JuteReader) => ({ children: reader.vector((each) => each.string()), stat: readStat(reader) });
    const request = this.#reading('the getChildren', path, OpCode.getChildren2, 'child', watch, read);
    return this.session.send(request, options.deadline);
  }

  getAcl(path: string, options: CallOptions = {}): Promise<{ acl: Acl[]; stat: Stat }> {
    const request: Request<{ acl: Acl[]; stat: Stat }> = {
      what: 'the getACL',
      path,
      opCode: OpCode.getAcl,
      byLeader: false,
      write: (writer) => void writer.string(this.#absolute(path)),
      read: (reader) => ({ acl: readAcl(reader), stat: readStat(reader) }),
    };
    return this.session.send(request, options.deadline);
  }

  /** Watches until `unwatch`: the node with its list of children, or (`recursive`) everything below it. */
  addWatch(
    path: string,
    kind: 'persistent' | 'recursive',
    watch: WatchCallback,
    options: CallOptions = {},
  ): Promise<void> {
    const absolute = this.#absolute(path);
    const request: Request<void> = {
      what: 'the addWatch',
      path,
      opCode: OpCode.addWatch,
      byLeader: false,
      write: (writer) => void writer.string(absolute).int(kind === 'persistent' ? 0 : 1),
      read: () => this.session.watches.add(kind, absolute, watch),
    };
    return this.session.send(request, options.deadline);
  }

  /** Does not call back any more. If nobody here watches the path, the server forgets it, too; in the background. */
  unwatch(path: string, kind: WatchKind, watch: WatchCallback): void {
    const absolute = this.#absolute(path);
    if (!this.session.watches.remove(kind, absolute, watch)) return;
    const request: Request<void> = {
      what: 'the removeWatches',
      path,
      opCode: OpCode.removeWatches,
      byLeader: false,
      write: (writer) =>
        void writer.string(absolute).int(kind === 'child' ? 1 : kind === 'data' || kind === 'exist' ? 2 : 3),
      read: () => undefined,
    };
    // Refused: it has just fired. No connection: the next one does not set it again.
    this.session.send(request).catch(() => undefined);
  }

  #write<Answer>({ deadline }: CallOptions, request: Omit<Request<Answer>, 'byLeader'>): Promise<Answer> {
    return this.session.send({ ...request, byLeader: true }, deadline);
  }

  #reading<Answer>(
    what: string,
    path: string,
    opCode: number,
    kind: WatchKind,
    watch: WatchCallback | undefined,
    read: (reader: JuteReader) => Answer,
  ): Request<Answer> {
    const absolute = this.#absolute(path);
    return {
      what,
      path,
      opCode,
      byLeader: false,
      write: (writer: JuteWriter) => void writer.string(absolute).bool(watch !== undefined),
      read: (reader) => {
        const answer = read(reader);
        // In the turn of the answer: the next frame may be the event already.
        if (watch !== undefined) this.session.watches.add(kind, absolute, watch);
        return answer;
      },
    };
  }

  #absolute(path: string): string {
    if (this.#chroot === '') return path;
    return path === '/' ? this.#chroot : this.#chroot + path;
  }

  #relative(path: string): string {
    return this.#chroot !== '' && path.startsWith(this.#chroot) ? path.slice(this.#chroot.length) || '/' : path;
  }
}
