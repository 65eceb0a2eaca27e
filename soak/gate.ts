import { createDefaultRpcTransport, createSolanaRpcFromTransport, type RpcTransport } from '@solana/kit';
import type { LedgerRpc } from '../packages/cli/tests/support/wallets.js';

/** Where people pass who change something on the ledger themselves, without a service. */
export class Gate {
  #opened: Promise<void> = Promise.resolve();
  readonly #passing = new Set<Promise<unknown>>();

  /** Does it as soon as the gate is open. */
  async pass<T>(act: () => Promise<T>): Promise<T> {
    await this.#opened;
    const acting = act();
    this.#passing.add(acting);
    try {
      return await acting;
    } finally {
      this.#passing.delete(acting);
    }
  }

  /** Does it while nobody passes. One at a time. */
  async closed<T>(work: () => Promise<T>): Promise<T> {
    let open: () => void = () => undefined;
    this.#opened = new Promise((resolve) => {
      open = resolve;
    });
    try {
      await Promise.allSettled(this.#passing);
      return await work();
    } finally {
      open();
    }
  }
}

/** The ledger for people: what they send passes the gate. */
export function gatedRpc(url: string, gate: Gate): LedgerRpc {
  const transport = createDefaultRpcTransport({ url });
  const gated = (request: Parameters<RpcTransport>[0]) => {
    const { method } = request.payload as { method: string };
    return method === 'sendTransaction' ? gate.pass(() => transport(request)) : transport(request);
  };
  return createSolanaRpcFromTransport(gated as RpcTransport);
}
