import {
  type Address,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionEncoder,
  isWritableRole,
  signTransaction,
  type Instruction,
} from '@solana/kit';
import type { SignedIntent } from '../db/outbox.js';
import type { Ledger } from '../ledger/ledger.js';
import { type Lifetime, otherThan, readPrice } from '../ledger/kept.js';
import { compileBudgeted } from '../ledger/compile.js';
import { ask } from '@legwork/program-client/history';
import { describeTransactionError, type TransactionFailure } from '../ledger/submitTransaction.js';

/** The compute limit of one transaction. */
const MAX_COMPUTE_UNITS = 1_400_000;
/**
 * Room above the simulated use, an instruction: between the simulation and the transaction anybody can send lamports to the
 * addresses of the accounts that it creates, two at most, and each then takes up to 3,000 more.
 */
const SPARE_COMPUTE_UNITS = 6_000;
/** The highest priority fee of a transaction, lamports. */
const MAX_PRIORITY_FEE = 5_000n;
const MICRO_LAMPORTS = 1_000_000n;
/** The least that a transaction bids for priority that came to nothing once; micro-lamports a compute unit. */
const LEAST_RAISED_PRICE = 1_000n;

/** Signed bytes with the blockhash that they are on, or why the ledger would refuse them. */
export type Signing = { signed: SignedIntent; blockhash: string } | { refused: TransactionFailure };

/** The accounts that others may compete for: a fee is bid for each of them that is written. */
function writtenBy(payer: Address, instructions: readonly Instruction[]): Address[] {
  const written = instructions.flatMap(({ accounts = [] }) => accounts.filter(({ role }) => isWritableRole(role)));
  return [...new Set([payer, ...written.map(({ address }) => address)])];
}

/**
 * Returns what to pay for priority, micro-lamports a compute unit: what is usual; after a try that came to nothing, what those
 * pay who write the same accounts, twice as much with each try.
 */
async function priceFor({ prices, rpc }: Ledger, written: Address[], attempts: number): Promise<bigint> {
  if (attempts === 0) return prices.recent();
  const median = await readPrice(rpc, written);
  const least = median < LEAST_RAISED_PRICE ? LEAST_RAISED_PRICE : median;
  // Far above what is ever paid, and no number grows without end.
  return least << BigInt(Math.min(attempts - 1, 20));
}

/** The facts known before signing: of earlier tries, and of the ledger. */
export interface Known {
  /** How often the same came to nothing. */
  attempts?: number;
  /** On this blockhash the same bytes were signed for something else. */
  notOn?: string;
  /** Slot of the newest final transaction. */
  finalSlot?: bigint | undefined;
}

/** Whatever is tried again gets a blockhash of its own: the same bytes would have failed already. */
function lifetimeFor({ blockhashes }: Ledger, { attempts = 0, notOn }: Known): Promise<Lifetime> {
  if (notOn !== undefined) return otherThan(blockhashes, notOn);
  return attempts === 0 ? blockhashes.recent() : blockhashes.latest();
}

/** With room for whatever it may use, and no priority. */
const TRIAL = { units: MAX_COMPUTE_UNITS, price: 0n };

async function simulate(
  { rpc, coordinator }: Ledger,
  lifetime: Lifetime,
  instructions: readonly Instruction[],
  { finalSlot }: Known,
) {
  const trial = compileBudgeted(coordinator.address, lifetime, TRIAL, instructions);
  const { value } = await ask(
    rpc.simulateTransaction(getBase64EncodedWireTransaction(trial), {
      commitment: 'confirmed',
      encoding: 'base64',
      sigVerify: false,
      // A node that is behind what was final here knows nothing of that: it does not answer. Rule S-108.
      ...(finalSlot !== undefined && { minContextSlot: finalSlot }),
    }),
  );
  return { lifetime, simulated: value };
}

/** Simulates on a blockhash that was kept; if it has expired all the same, on the latest. */
async function simulateAlive(ledger: Ledger, instructions: readonly Instruction[], known: Known) {
  const first = await simulate(ledger, await lifetimeFor(ledger, known), instructions, known);
  if (first.simulated.err !== 'BlockhashNotFound') return first;
  return simulate(ledger, await ledger.blockhashes.latest(), instructions, known);
}

/**
 * Simulates the instructions, sets compute limit and price, and signs with the coordinator's key. Nothing is sent: the bytes
 * have to be persisted first. Rules S-102, S-103.
 *
 * @throws LegworkError `ledger_unavailable`, also when the node has not reached the final slot
 */
export async function signIntent(
  ledger: Ledger,
  instructions: readonly Instruction[],
  known: Known = {},
): Promise<Signing> {
  const payer = ledger.coordinator.address;
  const [{ lifetime, simulated }, wanted] = await Promise.all([
    simulateAlive(ledger, instructions, known),
    priceFor(ledger, writtenBy(payer, instructions), known.attempts ?? 0),
  ]);
  if (simulated.err !== null) return { refused: describeTransactionError(simulated.err) };

  const used = Number(simulated.unitsConsumed ?? MAX_COMPUTE_UNITS);
  const units = Math.min(MAX_COMPUTE_UNITS, used + SPARE_COMPUTE_UNITS * instructions.length);
  const most = (MAX_PRIORITY_FEE * MICRO_LAMPORTS) / BigInt(units);
  const budget = { units, price: wanted < most ? wanted : most };
  const budgeted = compileBudgeted(payer, lifetime, budget, instructions);
  const transaction = await signTransaction([ledger.coordinator.keyPair], budgeted);
  return {
    signed: {
      signature: getSignatureFromTransaction(transaction),
      transaction: Buffer.from(getTransactionEncoder().encode(transaction)),
      lastValidBlockHeight: lifetime.lastValidBlockHeight,
    },
    blockhash: lifetime.blockhash,
  };
}
