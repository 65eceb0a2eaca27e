import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

/** A WebSocket that collects what it gets. */
export async function rawSocket(url: string) {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  onTestFinished(() => socket.terminate());
  const frames: {
    id?: number;
    result?: unknown;
    error?: { code: number; message: string };
    method?: string;
    params?: unknown;
  }[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    frames.push(JSON.parse(data.toString()) as (typeof frames)[number]);
    for (const wake of waiting) wake();
    waiting.clear();
  });
  const take = async (matches: (frame: (typeof frames)[number]) => boolean): Promise<(typeof frames)[number]> => {
    for (;;) {
      const index = frames.findIndex(matches);
      const [found] = index === -1 ? [] : frames.splice(index, 1);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
      });
    }
  };
  let nextId = 0;
  const call = async (method: string, params: readonly unknown[] = []) => {
    nextId += 1;
    const id = nextId;
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return take((frame) => frame.id === id);
  };
  return { socket, frames, take, call };
}
