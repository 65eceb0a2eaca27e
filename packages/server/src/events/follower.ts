import type { WebSocket } from 'ws';
import type { AppContext } from '../context.js';
import type { LoggedEvent } from '../db/events.js';
import { encodeFrame, type Fanout, type Follower } from './fanout.js';
import { isEverything, readWanted, type Subscription, type Wanted } from './filter.js';

/** Most bytes that may wait for one live reader. One that is slower is cut off, so that it cannot fill the memory. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** Events that a replay reads at a time; the next page waits until the network took this one. */
const REPLAY_PAGE = 200;
/** The same where most of them are only looked at. */
const WALK_PAGE = 500;

/** Close codes of the event stream. After each of them a client resumes with `since`. Rule S-34. */
export const CLOSE = {
  tooSlow: { code: 4008, reason: 'too slow: reconnect with since=<seq of the last event received>' },
  shutdown: { code: 1012, reason: 'restarting: reconnect with since=<seq of the last event received>' },
  failed: { code: 1011, reason: 'failed: reconnect with since=<seq of the last event received>' },
} as const;

/** The connection that carries events to a client. */
export interface Line {
  isOpen(): boolean;
  send(event: LoggedEvent, frame: Buffer): void;
  /** Says that there is nothing more for this client up to a number. */
  tellHead(seq: bigint): void;
  /** Bytes that the network has not taken yet. */
  waiting(): number;
  /** Resolves once the network took what was sent, or the line is closed. */
  taken(): Promise<void>;
  close(why: (typeof CLOSE)[keyof typeof CLOSE]): void;
  onceClosed(act: () => void): void;
}

/** Feeds one client: the replay first, if one was asked for, then live events. Rule S-33. */
export class LineFollower implements Follower {
  readonly wanted: Wanted;
  readonly #line: Line;
  readonly #fanout: Fanout;
  /** Events up to this number are not sent (any more). */
  #last: bigint;
  #told: bigint;
  #isLive = false;

  constructor(line: Line, { since, wanted }: Subscription, fanout: Fanout) {
    this.wanted = wanted;
    this.#line = line;
    this.#fanout = fanout;
    this.#last = since ?? fanout.head();
    this.#told = this.#last;
    line.onceClosed(() => fanout.leave(this));
  }

  /** Sends a live event, unless the replay sent it already. */
  accept(event: LoggedEvent, frame: Buffer): void {
    if (event.seq <= this.#last) return;
    this.#send(event, frame);
    if (this.#line.waiting() <= MAX_BUFFERED_BYTES) return;
    this.#fanout.leave(this);
    this.#line.close(CLOSE.tooSlow);
  }

  /** Tells who wants some of the events how far the log is, so that it resumes behind what it did not want. Rule S-181. */
  tellHead(): void {
    const head = this.#isLive ? this.#fanout.head() : this.#last;
    if (isEverything(this.wanted) || head <= this.#told) return;
    this.#told = head;
    this.#line.tellHead(head);
  }

  /**
   * Replays, a page each time `oneOfFew` lets it, then joins the live ones without a gap: between the last look at `head` and
   * joining nothing can run.
   */
  async start(
    { db, log }: Pick<AppContext, 'db' | 'log'>,
    oneOfFew: <T>(read: () => Promise<T>) => Promise<T>,
  ): Promise<void> {
    const limit = this.wanted.around === undefined ? REPLAY_PAGE : WALK_PAGE;
    try {
      while (this.#last < this.#fanout.head()) {
        const head = this.#fanout.head();
        const page = { after: this.#last, limit };
        // While this one waited, the client may have gone.
        const found = await oneOfFew(async () => (this.#line.isOpen() ? readWanted(db, this.wanted, page) : undefined));
        for (const event of found?.events ?? []) this.#send(event, encodeFrame(event));
        await this.#line.taken();
        if (found === undefined || !this.#line.isOpen()) return;
        const reached = found.reached ?? this.#last;
        // The end of the log covers every event numbered when it was read, including `head`, even if none was wanted.
        this.#last = found.isEnd && reached < head ? head : reached;
      }
      this.#isLive = true;
      this.#fanout.join(this);
    } catch (error) {
      log.warn({ err: error }, 'a replay of events failed');
      this.#line.close(CLOSE.failed);
    }
  }

  #send(event: LoggedEvent, frame: Buffer): void {
    this.#last = event.seq;
    this.#told = event.seq;
    this.#line.send(event, frame);
  }
}

/** The frames of a WebSocket. */
export function socketLine(socket: WebSocket): Line {
  const isOpen = () => socket.readyState === socket.OPEN;
  let last: Promise<void> = Promise.resolve();
  return {
    isOpen,
    send: (_event, frame) => {
      if (!isOpen()) return;
      last = new Promise((resolve) => socket.send(frame, { binary: false }, () => resolve()));
    },
    tellHead: (seq) => {
      const frame = { type: 'HEAD', seq: Number(seq), occurredAt: new Date().toISOString() };
      if (isOpen()) socket.send(JSON.stringify(frame));
    },
    waiting: () => socket.bufferedAmount,
    taken: async () => {
      let closed = (): void => undefined;
      const closing = new Promise<void>((resolve) => {
        closed = resolve;
        socket.once('close', closed);
      });
      await Promise.race([last, closing]);
      socket.off('close', closed);
    },
    close: ({ code, reason }) => socket.close(code, reason),
    onceClosed: (act) => void socket.once('close', act),
  };
}
