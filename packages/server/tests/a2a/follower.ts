import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import { until } from '../support/until.js';

type Json = Record<string, unknown>;

/** A notification as it came. */
export interface Pushed {
  headers: IncomingHttpHeaders;
  body: string;
  /** Which of its updates a StreamResponse holds. */
  kind: string;
  told: Json;
}

const ends: (() => unknown)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

/** A server that a task is told to. */
export class Follower {
  readonly arrived: Pushed[] = [];
  /** The status that it answers with. */
  status = 200;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const told = JSON.parse(body) as Json;
        this.arrived.push({ headers: request.headers, body, kind: Object.keys(told).join(), told });
        response.writeHead(this.status).end();
      });
    });
  }

  static async start(): Promise<Follower> {
    const follower = new Follower();
    await new Promise<void>((resolve) => follower.#server.listen(0, '127.0.0.1', resolve));
    ends.push(() => {
      follower.#server.closeAllConnections();
      follower.#server.close();
    });
    return follower;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/told?by=a2a`;
  }

  /** Waits until so much has come. */
  async until(count: number): Promise<Pushed[]> {
    return until(
      () => `${count} notifications of ${JSON.stringify(this.arrived.map(({ kind }) => kind))}`,
      async () => this.arrived.length >= count && this.arrived,
    );
  }
}
