import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import {
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionEncoder,
  signTransaction,
  type Instruction,
} from '@solana/kit';
import type { SignedIntent } from '../db/outbox.js';
import type { Ledger } from '../ledger/ledger.js';
import { compileMessage, latestLifetime } from '../ledger/compile.js';
import { ask } from '@legwork/program-client/history';
import { describeTransactionError, type TransactionFailure } from '../ledger/transactionFailure.js';

/** What one transaction may use at most. */
const MAX_COMPUTE_UNITS = 1_400_000;
/** Room above the simulated use: what other accounts hold may change until the transaction runs. */
const COMPUTE_MARGIN = 1.2;
/** Never pay more than this for priority: micro-lamports a compute unit. */
const MAX_COMPUTE_UNIT_PRICE = 100_000n;

/** Instructions that the outbox puts before an intent's own. */
export const COMPUTE_BUDGET_INSTRUCTIONS = 2;

export type Signing = { signed: SignedIntent } | { refused: TransactionFailure };

function withBudget(units: number, price: bigint, instructions: readonly Instruction[]): Instruction[] {
  return [
    getSetComputeUnitLimitInstruction({ units }),
    getSetComputeUnitPriceInstruction({ microLamports: price }),
    ...instructions,
  ];
}

/** Returns the median of what recent transactions paid for priority, within our bound; micro-lamports a compute unit. */
async function computeUnitPrice(ledger: Ledger): Promise<bigint> {
  const recent = await ask(ledger.rpc.getRecentPrioritizationFees([ledger.programAddress]));
  const fees = recent.map((entry) => BigInt(entry.prioritizationFee)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const median = fees[Math.floor(fees.length / 2)] ?? 0n;
  return median < MAX_COMPUTE_UNIT_PRICE ? median : MAX_COMPUTE_UNIT_PRICE;
}

/**
 * Simulates the instructions, sets compute limit and price from that, and signs with the coordinator's key.
 * Nothing is sent: the bytes have to be persisted first.
 *
 * @param finalSlot of the newest final transaction; undefined: there is none
 * @throws RelayError `ledger_unavailable`, also when the node has not reached that slot
 */
export async function signIntent(
  ledger: Ledger,
  instructions: readonly Instruction[],
  finalSlot?: bigint,
): Promise<Signing> {
  const [lifetime, price] = await Promise.all([latestLifetime(ledger.rpc), computeUnitPrice(ledger)]);
  const payer = ledger.coordinator.address;
  const trial = compileMessage(payer, lifetime, withBudget(MAX_COMPUTE_UNITS, price, instructions));
  const { value: simulated } = await ask(
    ledger.rpc.simulateTransaction(getBase64EncodedWireTransaction(trial), {
      commitment: 'confirmed',
      encoding: 'base64',
      sigVerify: false,
      // A node that is behind what was final here knows nothing of that: it does not answer. Rule S-108.
      ...(finalSlot !== undefined && { minContextSlot: finalSlot }),
    }),
  );
  if (simulated.err !== null) return { refused: describeTransactionError(simulated.err) };

  const used = Number(simulated.unitsConsumed ?? MAX_COMPUTE_UNITS);
  const units = Math.min(MAX_COMPUTE_UNITS, Math.ceil(used * COMPUTE_MARGIN));
  const compiled = compileMessage(payer, lifetime, withBudget(units, price, instructions));
  const transaction = await signTransaction([ledger.coordinator.keyPair], compiled);
  return {
    signed: {
      signature: getSignatureFromTransaction(transaction),
      transaction: Buffer.from(getTransactionEncoder().encode(transaction)),
      lastValidBlockHeight: lifetime.lastValidBlockHeight,
    },
  };
}
