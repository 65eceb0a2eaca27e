import { decodeRelayInstruction, type RelayInstruction, type Returning } from '@legwork/program-client';
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { parsePubkey } from '@legwork/protocol/contract';
import {
  AccountRole,
  decompileTransactionMessage,
  getAddressComparator,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getShortU16Encoder,
  isSignerRole,
  mergeBytes,
  mergeRoles,
  type Address,
  type Instruction,
  type ReadonlyUint8Array,
  type Transaction,
  type TransactionWithBlockhashLifetime,
} from '@solana/kit';
import type { Lifetime } from './kept.js';
import { assetOf } from './assets.js';
import type { Ledger } from './ledger.js';
import { paidIn } from './tokens.js';

type Compiled = Transaction & TransactionWithBlockhashLifetime;

/** A transaction for someone else to sign. */
export interface UnsignedTransaction {
  /** Base64 of the wire form with empty signatures. */
  transaction: string;
  blockhash: string;
  lastValidBlockHeight: number;
}

/** Bytes of a length in a message. */
const shortU16 = getShortU16Encoder();
const byAddress = getAddressComparator();

/** The roles of all accounts that a message names, in its order. */
function accountsIn(feePayer: Address, instructions: readonly Instruction[]): [Address, AccountRole][] {
  const roles = new Map<Address, AccountRole>();
  const name = (account: Address, role: AccountRole) =>
    roles.set(account, mergeRoles(roles.get(account) ?? AccountRole.READONLY, role));
  for (const { programAddress, accounts = [] } of instructions) {
    name(programAddress, AccountRole.READONLY);
    for (const { address, role } of accounts) name(address, role);
  }
  roles.delete(feePayer);
  const others = [...roles].sort(([one, may], [other, mayToo]) => mayToo - may || byAddress(one, other));
  return [[feePayer, AccountRole.WRITABLE_SIGNER], ...others];
}

/**
 * Compiles a legacy message: every wallet signs those, and they are two bytes shorter than version 0 without lookup tables. The
 * library makes the same bytes in fifteen times the time, most of it for base58.
 */
export function compileMessage(feePayer: Address, lifetime: Lifetime, instructions: readonly Instruction[]): Compiled {
  const accounts = accountsIn(feePayer, instructions);
  const places = new Map(accounts.map(([account], place) => [account, place]));
  const placeOf = (account: Address) => places.get(account) ?? 0;
  const having = (role: AccountRole) => accounts.filter(([, one]) => one === role).length;
  const signers = accounts.filter(([, role]) => isSignerRole(role)).map(([signer]) => [signer, null] as const);
  const header = [signers.length, having(AccountRole.READONLY_SIGNER), having(AccountRole.READONLY)];
  const called = instructions.map(({ programAddress, accounts: given = [], data = new Uint8Array() }) => [
    Uint8Array.of(placeOf(programAddress)),
    shortU16.encode(given.length),
    Uint8Array.from(given, ({ address }) => placeOf(address)),
    shortU16.encode(data.length),
    data,
  ]);
  const parts = [
    Uint8Array.from(header),
    shortU16.encode(accounts.length),
    ...accounts.map(([account]) => parsePubkey(account)),
    parsePubkey(lifetime.blockhash),
    shortU16.encode(instructions.length),
    ...called.flat(),
  ];
  return {
    messageBytes: mergeBytes(parts as Uint8Array[]) as ReadonlyUint8Array as Compiled['messageBytes'],
    signatures: Object.fromEntries(signers),
    lifetimeConstraint: lifetime,
  };
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
): Compiled {
  return compileMessage(feePayer, lifetime, [limitOf(budget), priceOf(budget), ...instructions]);
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
