import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Which way it happens: from the caller `there`, `back` to it, or both. */
export type Way = 'there' | 'back' | 'both';

/** What can befall a network. */
export type Fault =
  /** Every connection is reset, and so is each new one. */
  | { readonly kind: 'cut' }
  /** Connections are taken, and every byte is held until it is over: also that somebody has hung up. */
  | { readonly kind: 'silent'; readonly way: Way }
  /** Every byte comes so many milliseconds later. */
  | { readonly kind: 'slow'; readonly way: Way; readonly ms: number };

/** The network between two parts: a proxy for TCP on loopback, that passes on everything until a fault begins. */
export class Wire {
  readonly #server: Server;
  readonly #far: () => NetConnectOpts;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #fault: Fault | undefined;
  #over: Promise<void> = Promise.resolve();
  #end: () => void = () => undefined;

  /** @param far - where the other part is, asked for each connection */
  static async start(far: () => NetConnectOpts): Promise<Wire> {
    const wire = new Wire(far);
    wire.#server.listen(0, '127.0.0.1');
    await once(wire.#server, 'listening');
    return wire;
  }

  private constructor(far: () => NetConnectOpts) {
    this.#far = far;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => this.#take(near));
  }

  /** Where it takes connections. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  begin(fault: Fault): void {
    this.#fault = fault;
    this.#over = new Promise((resolve) => {
      this.#end = resolve;
    });
    if (fault.kind === 'cut') this.#reset();
  }

  /** Passes on again, first what it held. */
  mend(): void {
    this.#fault = undefined;
    this.#end();
  }

  close(): void {
    this.mend();
    this.#server.close();
    this.#reset();
  }

  #reset(): void {
    for (const pair of this.#pairs) for (const socket of pair) reset(socket);
  }

  #take(near: Socket): void {
    near.on('error', () => undefined);
    if (this.#fault?.kind === 'cut') {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ ...this.#far(), allowHalfOpen: true, noDelay: true });
    far.on('error', () => undefined);
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    this.#carry(near, far, 'there');
    this.#carry(far, near, 'back');
    far.once('close', () => this.#pairs.delete(pair));
  }

  /** Everything that one end says, in order, also that it has ended. */
  #carry(from: Socket, to: Socket, way: Way): void {
    let last: Promise<unknown> = Promise.resolve();
    const pass = (act: () => void) => {
      last = Promise.all([last, this.#due(way)]).then(act);
    };
    from.on('data', (chunk: Buffer) => pass(() => void (to.writable && to.write(chunk))));
    from.once('end', () => pass(() => to.end()));
    from.once('close', (isBroken) => pass(() => (isBroken ? reset(to) : to.destroySoon())));
  }

  /** Resolves when what is said now may pass. */
  #due(way: Way): Promise<unknown> | undefined {
    const fault = this.#fault;
    if (fault === undefined || fault.kind === 'cut' || (fault.way !== 'both' && fault.way !== way)) return undefined;
    return fault.kind === 'silent' ? this.#over : sleep(fault.ms);
  }
}

/** A unix socket knows no reset. */
function reset(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
}
