import { ask, type LedgerRpc } from '@legwork/program-client/history';
import type { Address } from '@solana/kit';
import { keep, type Kept } from './kept.js';

/** How long a price serves: what is not enough is raised. */
const KEPT_MS = 10_000;

/** What those paid for priority lately who wrote the coordinator's account, kept for a moment; micro-lamports a compute unit. */
export type Prices = Kept<bigint>;

export function keepPrices(rpc: LedgerRpc, coordinator: Address): Prices {
  return keep(() => readPrice(rpc, [coordinator]), KEPT_MS);
}

/**
 * The median of what recent transactions that wrote these accounts paid for priority, micro-lamports a compute unit.
 *
 * @throws RelayError `ledger_unavailable`
 */
export async function readPrice(rpc: LedgerRpc, written: readonly Address[]): Promise<bigint> {
  const recent = await ask(rpc.getRecentPrioritizationFees(written));
  const fees = recent.map((entry) => BigInt(entry.prioritizationFee)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return fees[Math.floor(fees.length / 2)] ?? 0n;
}
