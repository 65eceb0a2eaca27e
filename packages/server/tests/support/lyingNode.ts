import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import getPort from 'get-port';
import { type Ask, type Behaviour, behaviourOf, type Call, type Lie, type Reply } from './lies.js';

export type { Lie } from './lies.js';

/** A lie that is being told. */
export interface Told {
  /** Requests that it has met. */
  readonly hits: number;
  /** Those requests. */
  readonly met: readonly Call[];
  end(): Promise<void>;
}

interface Telling extends Told {
  hits: number;
  readonly met: Call[];
  readonly lie: Lie;
  readonly behaviour: Behaviour;
  readonly methods: ReadonlySet<string> | undefined;
}

/**
 * Stands between a service and the node it trusts, for JSON-RPC and the WebSocket's hints. It tells the truth until a lie
 * begins. Lies go together: the one that began last is the nearest to the ledger.
 */
export class LyingNode {
  readonly url: string;
  readonly wsUrl: string;
  readonly #ledger: URL;
  readonly #port: number;
  /** The traced requests that came. */
  readonly traced: { method: string; traceparent: string }[] = [];
  readonly #tellings = new Set<Telling>();
  readonly #sockets = new Set<Duplex>();
  #server: ReturnType<typeof createServer>;

  /** @param rpcUrl of the ledger, which takes WebSockets on the same port */
  static async start(rpcUrl: string): Promise<LyingNode> {
    const node = new LyingNode(rpcUrl, await getPort({ host: '127.0.0.1' }));
    await node.#listen();
    return node;
  }

  private constructor(rpcUrl: string, port: number) {
    this.#ledger = new URL(rpcUrl);
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.wsUrl = `ws://127.0.0.1:${port}`;
    this.#server = this.#create();
  }

  /** Tells the lie from now on until it is ended; with `methods`, only about these JSON-RPC methods. */
  async begin(lie: Lie, methods?: readonly string[]): Promise<Told> {
    const end = () => this.#end(telling);
    const about = methods && new Set(methods);
    const telling: Telling = { hits: 0, met: [], lie, behaviour: behaviourOf(lie), methods: about, end };
    this.#tellings.add(telling);
    if (lie.kind === 'refused') await this.#shut();
    return telling;
  }

  /** Ends every lie. */
  async mend(): Promise<void> {
    for (const telling of this.#tellings) await telling.end();
  }

  async close(): Promise<void> {
    await this.#shut();
  }

  async #end(telling: Telling): Promise<void> {
    this.#tellings.delete(telling);
    // Cuts connections with withheld messages: the rest of them makes no sense.
    if (telling.lie.kind === 'unhinted') this.#cut();
    if (!this.#server.listening && !this.#tells('refused')) await this.#listen();
  }

  #tells(kind: Lie['kind']): boolean {
    return [...this.#tellings].some(({ lie }) => lie.kind === kind);
  }

  #create() {
    return createServer((incoming, outgoing) => {
      this.#handle(incoming, outgoing).catch(() => outgoing.destroy());
    }).on('upgrade', (incoming, near: Socket, head: Buffer) => this.#passHints(incoming, near, head));
  }

  async #listen(): Promise<void> {
    this.#server = this.#create();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async #shut(): Promise<void> {
    this.#cut();
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const call = JSON.parse(await bodyOf(incoming)) as Call;
    const { traceparent } = incoming.headers;
    if (typeof traceparent === 'string') this.traced.push({ method: call.method, traceparent });
    let ask: Ask = (asked) => this.#pass(asked);
    for (const telling of [...this.#tellings].toReversed()) ask = told(telling, ask);
    const { status, body } = await ask(call);
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }

  async #pass({ target, ...call }: Call): Promise<Reply> {
    const headers = { 'content-type': 'application/json' };
    const asked = request(target ?? this.#ledger, { method: 'POST', headers });
    asked.end(JSON.stringify({ jsonrpc: '2.0', ...call }));
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 502, body: await bodyOf(answer) };
  }

  #passHints(incoming: IncomingMessage, near: Socket, head: Buffer): void {
    const far = connect(Number(this.#ledger.port), this.#ledger.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => undefined).once('close', () => this.#sockets.delete(one) && other.destroy());
    }
    const lines = incoming.rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
    far.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('')}\r\n`);
    far.write(head);
    near.pipe(far);
    far.on('data', (chunk: Buffer) => {
      if (!this.#tells('unhinted') && !this.#tells('silent')) near.write(chunk);
    });
  }
}

/** Asks as the lie has it. */
function told(telling: Telling, ask: Ask): Ask {
  return (call) => {
    const isAbout = telling.methods?.has(call.method) ?? true;
    if (!isAbout || !telling.behaviour.meets(call)) return ask(call);
    telling.hits += 1;
    telling.met.push(call);
    return telling.behaviour.answer(call, ask);
  };
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
