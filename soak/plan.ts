import { createDefaultRpcTransport, createSolanaRpcFromTransport, type RpcTransport } from '@solana/kit';
import type { LedgerRpc } from '../packages/cli/tests/support/wallets.js';

export type Random = () => number;

/** Numbers from 0 to below 1 that follow from the seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The randomness of the story of this number, the same for every run with this seed. */
export function randomOf(seed: number, number: number): Random {
  return seededRandom(seed ^ Math.imul(number + 1, 0x9e3779b1));
}

export function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}

/** The possible draws, each with its share; together they are 1. */
export type Shares<T> = readonly (readonly [T, number])[];

export function choose<T>(shares: Shares<T>, random: Random): T {
  let left = random();
  for (const [value, share] of shares) {
    left -= share;
    if (left < 0) return value;
  }
  const last = shares.at(-1);
  if (!last) throw new RangeError('There is nothing to choose from.');
  return last[0];
}

/** A whole number from 0 to below the bound. */
export function below(bound: number, random: Random): number {
  return Math.floor(random() * bound);
}

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

/** The ledger for people: what they send passes the gate, and what they read is asked for again where a connection had just ended. */
export function gatedRpc(url: string, gate: Gate): LedgerRpc {
  const transport = createDefaultRpcTransport({ url });
  const gated = (request: Parameters<RpcTransport>[0]) => {
    const { method } = request.payload as { method: string };
    if (method === 'sendTransaction') return gate.pass(() => transport(request));
    return transport(request).catch(() => transport(request));
  };
  return createSolanaRpcFromTransport(gated as RpcTransport);
}

/** When something was killed, or the services were lied to, and when it was put right. */
export class Quiet {
  #since = Date.now();
  #disturbances = 0;
  #isLast = false;

  /** When the last disturbance so far had been put right; undefined: there is one just now. */
  readonly since = (): number | undefined => (this.#disturbances === 0 ? this.#since : undefined);

  /** As since, once there is none to come. */
  readonly forGood = (): number | undefined => (this.#isLast ? this.since() : undefined);

  /** Disturbs, and puts it right. @returns how long that took, in milliseconds */
  async during(disturb: () => Promise<void>): Promise<number> {
    const at = Date.now();
    this.#disturbances += 1;
    await disturb();
    this.#disturbances -= 1;
    this.#since = Date.now();
    return this.#since - at;
  }

  /** There is no disturbance to come. */
  end(): void {
    this.#isLast = true;
    this.#since = Date.now();
  }
}
