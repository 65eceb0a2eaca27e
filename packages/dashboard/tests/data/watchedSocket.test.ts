import { beforeEach, describe, expect, it } from 'vitest';
import { watchedSocket } from '../../src/data/watchedSocket.js';

/** What a browser's socket does, at a word. */
class Platform extends EventTarget {
  constructor(readonly url: string | URL) {
    super();
  }
  tell(type: 'open' | 'message' | 'close'): void {
    this.dispatchEvent(new Event(type));
  }
  close(): void {}
}

let told: string[];
const Watched = watchedSocket(Platform as unknown as typeof WebSocket, {
  opened: () => told.push('opened'),
  closed: (_, wasOpen) => told.push(wasOpen ? 'closed' : 'not opened'),
});
const open = () => new Watched('ws://127.0.0.1/ws') as WebSocket & Platform;

beforeEach(() => {
  told = [];
});

describe('what is said of the stream', () => {
  it('tells when it opens and ends, each once', () => {
    const socket = open();
    socket.tell('open');
    socket.tell('close');
    socket.close();
    expect(told).toEqual(['opened', 'closed']);
  });

  it('tells apart what never opened', () => {
    open().tell('close');
    expect(told).toEqual(['not opened']);
  });

  it('ends with being given up, and a late word of it is none about the next one (D-5)', () => {
    const first = open();
    first.tell('open');
    first.close();
    const second = open();
    second.tell('open');
    first.tell('close');
    expect(told).toEqual(['opened', 'closed', 'opened']);
  });

  it('was heard until the last frame, however long it was waited for another', async () => {
    const ends: Date[] = [];
    const Silent = watchedSocket(Platform as unknown as typeof WebSocket, {
      opened: () => {},
      closed: (at) => ends.push(at),
    });
    const socket = new Silent('ws://127.0.0.1/ws') as WebSocket & Platform;
    socket.tell('open');
    const before = Date.now();
    await expect.poll(() => Date.now()).toBeGreaterThan(before + 5);
    socket.close();
    expect(ends.map((at) => at.getTime())).toEqual([expect.any(Number)]);
    expect(ends[0]?.getTime()).toBeLessThanOrEqual(before);
  });
});
