import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { until } from '../events/log.js';

/** The posted event, once its signature was found good. */
export interface Posted {
  id: string;
  type: string;
  timestamp: string;
  data: { seq: number; packageId?: string; challenge?: string; webhookId?: string };
  headers: IncomingHttpHeaders;
  body: string;
}

const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** Verifies the asymmetric signature with the key that the service told, as the published library does not. */
export function verifiesV1a(publicKey: string, { headers, body }: Pick<Posted, 'headers' | 'body'>): boolean {
  const raw = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64');
  const key = createPublicKey({ key: Buffer.concat([ED25519_SPKI, raw]), format: 'der', type: 'spki' });
  const signed = Buffer.from(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`);
  const signatures = String(headers['webhook-signature']).split(' ');
  return signatures.some(
    (one) => one.startsWith('v1a,') && verify(null, signed, key, Buffer.from(one.slice(4), 'base64')),
  );
}

/** A receiver written with the published library. It takes what verifies and answers challenges, unless it is told otherwise. */
export class Receiver {
  readonly secret = `whsec_${randomBytes(24).toString('base64')}`;
  /** Everything that arrived, in the order of arrival, also what it refused. */
  readonly arrived: Posted[] = [];
  /** The events that it took. */
  readonly taken: Posted[] = [];
  /** Says something else than usual; undefined: what is usual. */
  answer: ((posted: Posted, response: ServerResponse) => void) | undefined;
  /** How many signatures were wrong. */
  forged = 0;
  url = '';
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => this.#receive(request.headers, body, response));
      request.on('error', () => undefined);
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    receiver.url = `http://127.0.0.1:${(receiver.#server.address() as AddressInfo).port}/events`;
    return receiver;
  }

  /** Numbers of the events that it took, in the order of arrival. */
  seqs(): number[] {
    return this.taken.map(({ data }) => data.seq);
  }

  async until(count: number): Promise<void> {
    await until(() => this.taken.length >= count);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #receive(headers: IncomingHttpHeaders, body: string, response: ServerResponse): void {
    try {
      new Webhook(this.secret).verify(body, headers as Record<string, string>);
    } catch {
      this.forged += 1;
      response.writeHead(401).end();
      return;
    }
    const posted = { ...(JSON.parse(body) as Posted), id: String(headers['webhook-id']), headers, body };
    this.arrived.push(posted);
    if (this.answer) this.answer(posted, response);
    else this.take(posted, response);
  }

  /** The usual answer. */
  take(posted: Posted, response: ServerResponse): void {
    if (posted.type === 'WEBHOOK_CHALLENGE') {
      response.end(JSON.stringify({ answer: posted.data.challenge }));
      return;
    }
    if (posted.type !== 'WEBHOOK_TEST') this.taken.push(posted);
    response.writeHead(204).end();
  }
}
