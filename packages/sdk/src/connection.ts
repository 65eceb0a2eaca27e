import { EVENT_TYPES, eventFrame } from '@legwork/protocol/contract';
import type { LegworkEvent } from '@legwork/protocol/contract';
import { decodeKnown } from './decodeKnown.js';
import { LegworkProtocolError } from './errors.js';

/** Frames that may wait for a slow consumer; past it the connection is given up and taken up again later. */
const MAX_WAITING = 1_000;

/** One connection to the event stream, read frame by frame. */
export interface Connection {
  /** True if it ever opened. */
  readonly opened: boolean;
  /** The next frame, or undefined once the connection has ended and nothing waits. @throws the error that ended it */
  next(): Promise<Frame | undefined>;
  close(): void;
}

/**
 * Opens a connection; it ends by itself when the stream does, or when the consumer is too slow.
 *
 * @param silenceMs end it too when no frame came for so long, because it may be dead without a word: the service's pings
 *   are not visible through this interface; undefined: wait for ever
 */
export function openConnection(WebSocket: SocketConstructor, url: string, silenceMs: number | undefined): Connection {
  return new FrameQueue(new WebSocket(url), silenceMs);
}

/** The frames of a socket that nobody has read yet. */
class FrameQueue implements Connection {
  opened = false;
  readonly #socket: Socket;
  readonly #silenceMs: number | undefined;
  readonly #waiting: Frame[] = [];
  #ended = false;
  #failure: unknown;
  #wake = () => {};
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(socket: Socket, silenceMs: number | undefined) {
    this.#socket = socket;
    this.#silenceMs = silenceMs;
    this.#watchSilence();
    socket.addEventListener('open', () => {
      this.opened = true;
    });
    socket.addEventListener('message', ({ data }) => this.#take(data));
    socket.addEventListener('error', () => this.close());
    socket.addEventListener('close', () => this.close());
  }

  async next(): Promise<Frame | undefined> {
    if (this.#waiting.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const frame = this.#waiting.shift();
    if (frame === undefined && this.#failure !== undefined) throw this.#failure;
    return frame;
  }

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#silence);
    this.#wake();
    this.#socket.close();
  }

  #take(data: unknown): void {
    if (this.#ended) return;
    this.#watchSilence();
    try {
      this.#waiting.push(readFrame(data));
    } catch (error) {
      this.#failure = error;
      this.close();
    }
    if (this.#waiting.length >= MAX_WAITING) this.close();
    this.#wake();
  }

  #watchSilence(): void {
    clearTimeout(this.#silence);
    if (this.#silenceMs !== undefined) this.#silence = setTimeout(() => this.close(), this.#silenceMs);
  }
}

/** One frame of the stream: its number, and its event unless the type is newer than this SDK. */
export interface Frame {
  readonly seq: number;
  readonly event: LegworkEvent | undefined;
}

/**
 * Reads a frame. A type that this SDK does not know keeps its number, so that the stream goes on behind it.
 *
 * @throws {LegworkProtocolError} when it is not a frame
 */
export function readFrame(data: unknown): Frame {
  const text = typeof data === 'string' ? data : '';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new LegworkProtocolError('a frame of the event stream is not JSON text', { cause });
  }
  const { seq, type } = (json ?? {}) as { seq?: unknown; type?: unknown };
  if (typeof seq !== 'number') throw new LegworkProtocolError('a frame of the event stream has no seq');
  if (!EVENT_TYPES.some((known) => known === type)) return { seq, event: undefined };
  const decoded = decodeKnown(eventFrame, json);
  if (!decoded.success) {
    throw new LegworkProtocolError(`event ${seq} has another form than this SDK knows`, { cause: decoded.error });
  }
  return { seq, event: decoded.data };
}

/** The part of the standard WebSocket that the SDK uses. */
export interface Socket {
  addEventListener(type: 'open' | 'error' | 'close', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  close(): void;
}

/** A WebSocket constructor: the browser's, Node's, or that of the package `ws`. */
export type SocketConstructor = new (url: string) => Socket;

/** The platform's WebSocket; Node before 22 has none, there it is that of `ws`. */
export async function platformSocket(): Promise<SocketConstructor> {
  const platform = (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
  return platform ?? (await import('ws')).WebSocket;
}
