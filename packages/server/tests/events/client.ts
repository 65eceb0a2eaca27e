import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { eventFrame } from '@legwork/protocol/contract';
import { z } from 'zod';
import { type ClientOptions, WebSocket } from 'ws';
import { until } from './log.js';

export interface Frame {
  type: string;
  seq: number;
  packageId: string;
}

/** A client that keeps what it hears. */
export class Listener {
  readonly frames: Frame[] = [];
  readonly socket: WebSocket;
  closed: { code: number; reason: string } | undefined;

  constructor(url: string, options: ClientOptions = {}) {
    this.socket = new WebSocket(url, options);
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) throw new Error('a binary frame');
      this.frames.push(JSON.parse(data.toString()) as Frame);
    });
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
  }

  /** Resolves with this client once it is connected. */
  async opened(): Promise<this> {
    await once(this.socket, 'open');
    return this;
  }

  packageIds(): string[] {
    return this.frames.map(({ packageId }) => packageId);
  }

  async until(count: number): Promise<Frame[]> {
    await until(() => this.frames.length >= count);
    return this.frames;
  }

  async end(): Promise<void> {
    if (this.closed === undefined) {
      this.socket.close();
      await until(() => this.closed !== undefined);
    }
  }
}

/** The frame as clients of the protocol decode it. */
export const decodeFrame = (frame: unknown) => z.decode(eventFrame, frame as z.input<typeof eventFrame>);

/** Connects in vain: what the server answered instead of the upgrade. */
export async function refusal(
  url: string,
  options: ClientOptions = {},
): Promise<{ status: number; type: string; retryAfter: string | undefined; body: Record<string, unknown> }> {
  const socket = new WebSocket(url, options);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'] ?? '',
    retryAfter: response.headers['retry-after'],
    body: JSON.parse(text) as Record<string, unknown>,
  };
}
