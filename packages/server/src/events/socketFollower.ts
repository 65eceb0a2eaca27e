import type { WebSocket } from 'ws';
import type { AppContext } from '../context.js';
import { type LoggedEvent, readEvents } from '../db/events.js';
import { encodeFrame, type Fanout, type Follower } from './fanout.js';
import type { Subscription } from './webSocket.js';

/** Most bytes that may wait for one live reader. One that is slower is cut off, so that it cannot fill the memory. */
export const MAX_BUFFERED_BYTES = 1024 * 1024;
/** Events that a replay reads at a time; the next page waits until the network took this one. */
const REPLAY_PAGE = 200;

/** Close codes of the event stream. After each of them a client resumes with `since`. Rule S-34. */
export const CLOSE = {
  tooSlow: { code: 4008, reason: 'too slow: reconnect with since=<seq of the last event received>' },
  shutdown: { code: 1012, reason: 'restarting: reconnect with since=<seq of the last event received>' },
  failed: { code: 1011, reason: 'failed: reconnect with since=<seq of the last event received>' },
} as const;

/** Feeds one socket: the replay first, if one was asked for, then live events. Rule S-33. */
export class SocketFollower implements Follower {
  readonly #socket: WebSocket;
  readonly #subscription: Subscription;
  readonly #fanout: Fanout;
  /** Events up to this number are not sent (any more). */
  #last: bigint;

  constructor(socket: WebSocket, subscription: Subscription, fanout: Fanout) {
    this.#socket = socket;
    this.#subscription = subscription;
    this.#fanout = fanout;
    this.#last = subscription.since ?? fanout.head();
    socket.on('close', () => fanout.leave(this));
  }

  /** Sends a live event, unless the replay sent it already or the client did not ask for its type. */
  accept(event: LoggedEvent, frame: Buffer): void {
    if (event.seq <= this.#last) return;
    this.#last = event.seq;
    const { topics } = this.#subscription;
    if (topics !== undefined && !topics.some((topic) => topic === event.type)) return;
    this.#socket.send(frame, { binary: false });
    if (this.#socket.bufferedAmount <= MAX_BUFFERED_BYTES) return;
    this.#fanout.leave(this);
    this.#socket.close(CLOSE.tooSlow.code, CLOSE.tooSlow.reason);
  }

  /**
   * Replays, a page each time `oneOfFew` lets it, then joins the live ones without a gap: between the last look at `head` and
   * joining nothing can run.
   */
  async start(
    { db, log }: Pick<AppContext, 'db' | 'log'>,
    oneOfFew: <T>(read: () => Promise<T>) => Promise<T>,
  ): Promise<void> {
    try {
      while (this.#last < this.#fanout.head()) {
        const head = this.#fanout.head();
        const { topics } = this.#subscription;
        const page = { after: this.#last, limit: REPLAY_PAGE, topics };
        // While this one waited, the client may have gone.
        const events = await oneOfFew(async () => (this.#isOpen() ? readEvents(db, page) : []));
        await this.#sendPage(events.map(encodeFrame));
        if (!this.#isOpen()) return;
        const reached = events.at(-1)?.seq ?? this.#last;
        // A short page covers every event numbered when it was read, including `head`, even if no topic matched.
        this.#last = events.length < REPLAY_PAGE && reached < head ? head : reached;
      }
      this.#fanout.join(this);
    } catch (error) {
      log.warn({ err: error }, 'a replay of events failed');
      this.#socket.close(CLOSE.failed.code, CLOSE.failed.reason);
    }
  }

  #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Resolves once the network took the page or the socket closed. A reader that never takes it fails the heartbeat. */
  #sendPage(frames: readonly Buffer[]): Promise<void> {
    const last = frames.at(-1);
    if (last === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#socket.off('close', done);
        resolve();
      };
      this.#socket.once('close', done);
      for (const frame of frames.slice(0, -1)) this.#socket.send(frame, { binary: false });
      this.#socket.send(last, { binary: false }, done);
    });
  }
}
