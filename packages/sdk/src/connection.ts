import { readFrame } from './frames.js';
import type { Frame } from './frames.js';
import type { Socket, SocketConstructor } from './socket.js';

/** Frames that may wait for a slow consumer; past it the connection is given up and taken up again later. */
const MAX_WAITING = 1_000;

/** One connection to the event stream, read frame by frame. */
export interface Connection {
  /** Whether it ever opened. */
  readonly opened: boolean;
  /** The next frame, or undefined once the connection has ended and nothing waits. @throws what ended it badly */
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
