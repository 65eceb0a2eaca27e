import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { getSignatureFromTransaction, getTransactionDecoder } from '@solana/kit';
import getPort from 'get-port';

/** What goes wrong on the way to a ledger and back. */
export type Fault =
  /** Nobody listens. */
  | { kind: 'refused' }
  /** Connections are taken, nothing is passed on, no answer ever comes: also not after the fault has ended. */
  | { kind: 'silent' }
  /** Everything takes so much longer. */
  | { kind: 'slow'; ms: number }
  /** The request is not passed on. */
  | { kind: 'http'; status: number }
  /** The request is not passed on. */
  | { kind: 'rpc'; code: number; message: string }
  /** This transaction is of a newer version than the caller can know: the ledger shows it listed, and nothing of it. */
  | { kind: 'newer'; signature: string }
  /** The ledger gets what is sent to it and acts; every answer about those transactions is lost. */
  | { kind: 'dropped' };

interface Call {
  id: unknown;
  method: string;
  params: unknown[];
}

function refuse(outgoing: ServerResponse, { id }: Call, { code, message }: { code: number; message: string }): void {
  outgoing.setHeader('content-type', 'application/json');
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
}

/** Stands between a service and its JSON-RPC. Faultless until told otherwise; every request is passed on once at most. */
export class FaultyProxy {
  readonly url: string;
  /** Requests that the present fault has met. */
  hits = 0;
  readonly #target: URL;
  readonly #port: number;
  #server: ReturnType<typeof createServer>;
  #fault: Fault | undefined;
  /** Signatures of what was sent while answers were lost. */
  readonly #sent = new Set<string>();
  #methods: ReadonlySet<string> | undefined;

  static async start(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target, await getPort({ host: '127.0.0.1' }));
    await proxy.#listen();
    return proxy;
  }

  private constructor(target: string, port: number) {
    this.#target = new URL(target);
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.#server = this.#create();
  }

  /** From now on requests meet the fault; with `methods`, only those of these JSON-RPC methods (not `dropped`). */
  async inject(fault: Fault, methods?: readonly string[]): Promise<void> {
    await this.mend();
    this.hits = 0;
    this.#fault = fault;
    this.#methods = methods && new Set(methods);
    if (fault.kind === 'refused') await this.#shut();
  }

  async mend(): Promise<void> {
    this.#fault = undefined;
    if (!this.#server.listening) await this.#listen();
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.#shut();
  }

  #create() {
    return createServer((incoming, outgoing) => {
      this.#handle(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  async #listen(): Promise<void> {
    this.#server = this.#create();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async #shut(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const call = JSON.parse(body.toString('utf8')) as Call;
    const fault = this.#meets(call) ? this.#fault : undefined;
    if (fault) this.hits += 1;
    switch (fault?.kind) {
      case 'refused':
      case 'silent':
        return;
      case 'http':
        outgoing.writeHead(fault.status, { 'content-type': 'text/html' }).end('<h1>An error page</h1>');
        return;
      case 'rpc':
        return refuse(outgoing, call, fault);
      case 'newer':
        return refuse(outgoing, call, { code: -32_015, message: 'Transaction version (99) is not supported' });
      case 'dropped':
        await this.#ask(incoming, body);
        outgoing.destroy();
        return;
      case 'slow':
        await new Promise((resolve) => setTimeout(resolve, fault.ms));
        break;
      case undefined:
    }
    const answer = await this.#ask(incoming, body);
    outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  }

  #meets({ method, params }: Call): boolean {
    if (this.#fault?.kind === 'newer') return method === 'getTransaction' && params[0] === this.#fault.signature;
    if (this.#fault?.kind !== 'dropped') return this.#methods?.has(method) ?? true;
    if (method === 'sendTransaction') {
      const transaction = getTransactionDecoder().decode(Buffer.from(String(params[0]), 'base64'));
      this.#sent.add(getSignatureFromTransaction(transaction));
      return true;
    }
    const asked = method === 'getSignatureStatuses' ? (params[0] as string[]) : [];
    return asked.some((signature) => this.#sent.has(signature));
  }

  async #ask(incoming: IncomingMessage, body: Buffer): Promise<{ status: number; body: Buffer }> {
    const asked = request(this.#target, { method: incoming.method, headers: { 'content-type': 'application/json' } });
    asked.end(body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return { status: answer.statusCode ?? 502, body: Buffer.concat(chunks) };
  }
}
