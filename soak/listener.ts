import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLegworkClient, type LegworkClient } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import { Client } from 'pg';

/** One delivery in so many is refused at first. */
const REFUSED = 50;
/** So long may nothing come: a refused one comes again after five seconds or fifteen, and everything is slow here. */
const CATCH_UP_MS = 180_000;

/** A webhook of everything that happens, which has to be told every event, in order, whatever dies. */
export class Listener {
  readonly #seqs: number[] = [];
  readonly #server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('error', () => undefined);
    request.on('end', () => {
      const { data } = JSON.parse(body) as { data: { seq?: number; challenge?: string } };
      if (data.seq !== undefined && this.#refuses(data.seq)) response.writeHead(503).end();
      else {
        if (data.seq !== undefined) this.#seqs.push(data.seq);
        response.end(JSON.stringify({ answer: data.challenge }));
      }
    });
  });
  readonly #refused = new Set<number>();
  #owner: LegworkClient | undefined;

  static async start(url: string): Promise<Listener> {
    const listener = new Listener();
    await new Promise<void>((resolve) => listener.#server.listen(0, '127.0.0.1', resolve));
    const { port } = listener.#server.address() as AddressInfo;
    listener.#owner = createLegworkClient({ url, signer: await generateKeyPairSigner() });
    await listener.#owner.registerWebhook({ url: `http://127.0.0.1:${port}/`, since: 0 });
    return listener;
  }

  /** Waits until everything that happened has come, or nothing more comes for a while, and compares it with the log. @returns the findings, in words */
  async end(connectionString: string, note: (finding: string) => void): Promise<string> {
    const log = await logOf(connectionString);
    for (let [came, at] = [-1, 0]; !this.#seqs.includes(log.at(-1) ?? 0); await sleep(500)) {
      if (this.#seqs.length > came) [came, at] = [this.#seqs.length, Date.now()];
      else if (Date.now() - at > CATCH_UP_MS) break;
    }
    const firsts = [...new Set(this.#seqs)];
    const missing = log.filter((seq) => !this.#seqs.includes(seq));
    if (missing.length > 0) note(`the webhook was never told of ${missing.length} events, ${missing[0]} first`);
    if (firsts.some((seq, index) => index > 0 && seq < (firsts[index - 1] ?? 0)))
      note('the webhook was told out of order');
    const hooks = await this.#owner?.listWebhooks();
    const [hook] = hooks?.items ?? [];
    if (hook?.status !== 'active') note(`the webhook is ${hook?.status ?? 'gone'}: ${hook?.lastError ?? 'no reason'}`);
    this.forget();
    return `${log.length} events, ${this.#seqs.length - firsts.length} of them more than once, ${this.#refused.size} refused at first`;
  }

  /** Its database is lost, and it with that. */
  forget(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #refuses(seq: number): boolean {
    if (seq % REFUSED !== 0 || this.#refused.has(seq)) return false;
    this.#refused.add(seq);
    return true;
  }
}

async function logOf(connectionString: string): Promise<number[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ seq: string }>(
      'select seq::text from events where seq is not null order by events.seq',
    );
    return rows.map(({ seq }) => Number(seq));
  } finally {
    await client.end();
  }
}
