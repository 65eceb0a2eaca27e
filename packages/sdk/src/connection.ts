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
  const socket: Socket = new WebSocket(url);
  const waiting: Frame[] = [];
  let opened = false;
  let ended = false;
  let failure: unknown;
  let wake = () => {};
  let silence: ReturnType<typeof setTimeout> | undefined;

  function end() {
    if (ended) return;
    ended = true;
    clearTimeout(silence);
    wake();
    socket.close();
  }

  function watchSilence() {
    clearTimeout(silence);
    if (silenceMs !== undefined) silence = setTimeout(end, silenceMs);
  }

  watchSilence();
  socket.addEventListener('open', () => {
    opened = true;
  });
  socket.addEventListener('message', ({ data }) => {
    if (ended) return;
    watchSilence();
    try {
      waiting.push(readFrame(data));
    } catch (error) {
      failure = error;
      end();
    }
    if (waiting.length >= MAX_WAITING) end();
    wake();
  });
  socket.addEventListener('error', end);
  socket.addEventListener('close', end);

  return {
    get opened() {
      return opened;
    },
    next: async () => {
      if (waiting.length === 0 && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const frame = waiting.shift();
      if (frame === undefined && failure !== undefined) throw failure;
      return frame;
    },
    close: end,
  };
}
