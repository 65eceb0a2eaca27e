import { decodeRelayInstruction, type RelayInstruction, type Returning } from '@legwork/program-client';
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import {
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  decompileTransactionMessage,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Address,
  type Instruction,
  type ReadonlyUint8Array,
  type Transaction,
} from '@solana/kit';
import type { Lifetime } from './kept.js';
import { assetOf } from './assets.js';
import type { Ledger } from './ledger.js';
import { paidIn } from './tokens.js';

/** A transaction for someone else to sign. */
export interface UnsignedTransaction {
  /** Base64 of the wire form with empty signatures. */
  transaction: string;
  blockhash: string;
  lastValidBlockHeight: number;
}

/** Legacy messages: every wallet signs them, and they are two bytes shorter than version 0 without lookup tables. */
export function compileMessage(feePayer: Address, lifetime: Lifetime, instructions: readonly Instruction[]) {
  return compileTransaction(
    pipe(
      createTransactionMessage({ version: 'legacy' }),
      (message) => setTransactionMessageFeePayer(feePayer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions(instructions, message),
    ),
  );
}

/** The limits of a transaction: compute units, and their price for priority, micro-lamports each. */
export interface Budget {
  units: number;
  price: bigint;
}

/** Instructions that a budget takes; they come first. */
export const BUDGET_INSTRUCTIONS = 2;

const limitOf = ({ units }: Budget) => getSetComputeUnitLimitInstruction({ units });
const priceOf = ({ price }: Budget) => getSetComputeUnitPriceInstruction({ microLamports: price });

/** Compiles instructions behind a budget. */
export function compileBudgeted(
  feePayer: Address,
  lifetime: Lifetime,
  budget: Budget,
  instructions: readonly Instruction[],
) {
  return compileMessage(feePayer, lifetime, [limitOf(budget), priceOf(budget), ...instructions]);
}

/** Bytes before the accounts of a legacy message, of an account or the blockhash, and of an instruction before its data. */
const HEADER_BYTES = 4;
const ADDRESS_BYTES = 32;
const BEFORE_DATA_BYTES = 3;

/** The transaction that {@link compileBudgeted} made, with another budget: to compile it again takes a millisecond. */
export function withBudget<T extends Transaction>(transaction: T, budget: Budget): T {
  const bytes = new Uint8Array(transaction.messageBytes);
  const accounts = bytes[HEADER_BYTES - 1] ?? 0;
  let at = HEADER_BYTES + ADDRESS_BYTES * (accounts + 1) + 1;
  for (const { data } of [limitOf(budget), priceOf(budget)]) {
    at += BEFORE_DATA_BYTES;
    // No accounts, so many bytes, and the number of the instruction; all of it there.
    const isThere = bytes[at - 2] === 0 && bytes[at - 1] === data.length && bytes[at] === data[0];
    if (!isThere || at + data.length > bytes.length) throw new Error('a transaction without a budget');
    bytes.set(data, at);
    at += data.length;
  }
  return { ...transaction, messageBytes: bytes as ReadonlyUint8Array as Transaction['messageBytes'] };
}

/**
 * Compiles instructions for a wallet that pays the fee, signs, and may send it itself.
 *
 * @param about the listing, by whose asset they pay
 */
export async function compileForWallet(
  ledger: Ledger,
  wallet: Address,
  about: { asset: number },
  instructions: readonly Returning[],
): Promise<UnsignedTransaction> {
  const [lifetime, paying] = await Promise.all([
    ledger.blockhashes.forWallets(),
    paidIn(ledger, wallet, assetOf(ledger.assets, about), instructions),
  ]);
  return {
    transaction: getBase64EncodedWireTransaction(compileMessage(wallet, lifetime, paying)),
    blockhash: lifetime.blockhash,
    lastValidBlockHeight: Number(lifetime.lastValidBlockHeight),
  };
}

/** Returns the program's instructions among those that a transaction names; what other programs call is not seen. */
export function instructionsIn(programAddress: Address, { messageBytes }: Transaction): RelayInstruction[] {
  const { instructions } = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
  return instructionsAmong(programAddress, instructions);
}

/** Returns the program's instructions among these. */
export function instructionsAmong(programAddress: Address, all: readonly Instruction[]): RelayInstruction[] {
  return all.flatMap((instruction) => decodeRelayInstruction(programAddress, instruction) ?? []);
}
