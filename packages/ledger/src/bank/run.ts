import type { Accounts, ChangedAccount } from './accounts.js';
import { resolveAccountKeys, type AccountKeys } from './accountKeys.js';
import type { Engine, Execution, Simulation } from './engine.js';
import type { VerifiedTransaction } from './signatures.js';
import { tokenBalances } from './tokenBalances.js';
import type { TransactionError } from './transactionError.js';
import type { Balances } from './transactionMeta.js';

/** Why a transaction was refused, or how its preflight failed. It leaves no trace. */
export type Refusal = Execution & { readonly fee: bigint | null };

/** A transaction that ran, and what of it is kept. */
export type Run = {
  readonly execution: Execution;
  readonly keys: AccountKeys;
  readonly balances: Balances;
  readonly fee: bigint;
  readonly changed: readonly ChangedAccount[];
};

export type RunOptions = {
  /** Without one, a failed transaction pays its fee all the same. */
  readonly hasPreflight: boolean;
  readonly slot: number;
  /** The durable nonce that it names. */
  readonly nonce: Uint8Array | undefined;
  readonly freshBlockhash: () => Uint8Array;
};

/** Runs a transaction. What it changes is in engine and accounts then; a refused one changes nothing. */
export function runTransaction(
  transaction: VerifiedTransaction,
  { engine, accounts }: { readonly engine: Engine; readonly accounts: Accounts },
  { hasPreflight, slot, nonce, freshBlockhash }: RunOptions,
): Run | { readonly refusal: Refusal } {
  const { message } = transaction;
  const keys = resolveAccountKeys(message, (address) => accounts.now(address));
  const before = accounts.before(keys);
  const execution = engine.execute(transaction);
  const after = accounts.after(keys);
  const balances: Balances = {
    ...accounts.balances(keys, before, after),
    preTokens: tokenBalances(message, keys, accounts.readerOf(before)),
    postTokens: tokenBalances(message, keys, accounts.readerOf(after)),
  };
  // A transaction only moves lamports, so the difference is the fee.
  const fee = sum(balances.pre) - sum(balances.post);
  if (execution.err !== null && (hasPreflight || fee === 0n)) {
    accounts.undo(before, after);
    return { refusal: { ...execution, fee: fee === 0n ? null : fee } };
  }
  const advanced = accounts.advanceNonces(after, execution.err === null ? undefined : nonce, freshBlockhash);
  return { execution, keys, balances, fee, changed: accounts.change(before, advanced, slot) };
}

/** The refusal of a transaction that did not run. */
export function refusalOf(err: TransactionError): Refusal {
  return { ...unexecuted(err), fee: null };
}

/** The simulation of a transaction that cannot run. */
export function unsimulated(err: TransactionError): Simulation {
  return { ...unexecuted(err), postAccounts: new Map() };
}

function unexecuted(err: TransactionError): Execution {
  return { err, logs: [], innerInstructions: [], unitsConsumed: 0n, returnData: null };
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}
