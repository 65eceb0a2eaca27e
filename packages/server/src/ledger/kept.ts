import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type LedgerRpc } from '@legwork/program-client/history';
import { LegworkError } from '@legwork/protocol/contract';
import { keep, type Kept } from '../kept.js';
import type { Blockhash, Address } from '@solana/kit';

/** A blockhash, and the last block height at which a transaction on it can land. */
export interface Lifetime {
  blockhash: Blockhash;
  lastValidBlockHeight: bigint;
}

/** A blockhash lives for about a minute. This much of it the service's own transactions can do without. Rule S-103. */
const KEPT_MS = 2_000;
const NEXT_BLOCK_MS = 200;
const NEXT_BLOCK_TRIES = 25;

/** The ledger's latest blockhashes, one of them kept for a moment. */
export interface Blockhashes extends Kept<Lifetime> {
  /**
   * For a transaction that somebody else sends: a final one, because clients that are told nothing ask for a preflight against what is
   * final, and a node does not know a later one there.
   *
   * @throws LegworkError `ledger_unavailable`
   */
  forWallets: () => Promise<Lifetime>;
}

export function keepBlockhashes(rpc: LedgerRpc): Blockhashes {
  const read = async (commitment: 'confirmed' | 'finalized') =>
    (await ask(rpc.getLatestBlockhash({ commitment }))).value;
  const newest = keep(() => read('confirmed'), KEPT_MS);
  return {
    ...newest,
    async forWallets() {
      const [final, recent] = await Promise.all([read('finalized'), newest.recent()]);
      const isTooOld = recent.lastValidBlockHeight - final.lastValidBlockHeight > MOST_BEHIND;
      return isTooOld ? newest.latest() : final;
    },
  };
}

/** A final blockhash is about 32 blocks old. One that is older by more, where nothing becomes final, would leave too little time to sign. */
const MOST_BEHIND = 75n;

/** Another one than this, as soon as there is a block. @throws LegworkError `ledger_unavailable` when none comes in five seconds */
export async function otherThan({ latest }: Blockhashes, blockhash: string): Promise<Lifetime> {
  for (let tries = 0; tries < NEXT_BLOCK_TRIES; tries += 1) {
    const lifetime = await latest();
    if (lifetime.blockhash !== blockhash) return lifetime;
    await sleep(NEXT_BLOCK_MS);
  }
  throw new LegworkError('ledger_unavailable', 'The ledger makes no blocks; try again in a moment.');
}

/** How long a price serves: what is not enough is raised. */
const PRICES_KEPT_MS = 10_000;

/** The recent price of priority among writers of the coordinator's account, kept for a moment; micro-lamports a compute unit. */
export type Prices = Kept<bigint>;

export function keepPrices(rpc: LedgerRpc, coordinator: Address): Prices {
  return keep(() => readPrice(rpc, [coordinator]), PRICES_KEPT_MS);
}

/**
 * The median of what recent transactions that wrote these accounts paid for priority, micro-lamports a compute unit.
 *
 * @throws LegworkError `ledger_unavailable`
 */
export async function readPrice(rpc: LedgerRpc, written: readonly Address[]): Promise<bigint> {
  const recent = await ask(rpc.getRecentPrioritizationFees(written));
  const fees = recent.map((entry) => BigInt(entry.prioritizationFee)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return fees[Math.floor(fees.length / 2)] ?? 0n;
}
