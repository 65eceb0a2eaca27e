import type { Accounts, ChangedAccount } from './accounts.js';
import { resolveAccountKeys } from './accountKeys.js';
import { costUnitsOf, loadedLimitOf, paysFee } from './fees.js';
import { unexecuted, untried, type Engine, type Execution, type Trial } from './engine.js';
import type { VerifiedTransaction } from './signatures.js';
import { tokenBalances } from './tokenBalances.js';
import type { TransactionError } from './transactionError.js';
import type { Balances, Ran } from './transactionMeta.js';
import type { WireTransaction } from './wire.js';

/** Why a transaction was refused, or how its preflight failed. It leaves no trace. */
export type Refusal = Execution & Passing & { readonly fee: bigint | null; readonly loadedSize: number };

/** How a simulated run went, and the bytes of the accounts that it loaded. */
export type Simulation = Trial & Passing & { readonly loadedSize: number };

/** Where a transaction would succeed that fails at `finalized`: what it needs is confirmed already, and not yet final. */
type Passing = { readonly passesAt?: 'confirmed' };

/** A transaction that ran, and what it changed. */
export type Run = Ran & {
  readonly changed: readonly ChangedAccount[];
};

type State = { readonly engine: Engine; readonly accounts: Accounts };

export type RunOptions = {
  /** Without one, a failed transaction pays its fee all the same. */
  readonly hasPreflight: boolean;
  readonly slot: number;
  /** The durable nonce that it names. */
  readonly nonce: Uint8Array | undefined;
  readonly freshBlockhash: () => Uint8Array;
};

/** Runs a transaction. Its changes are in engine and accounts then; a refused one changes nothing. */
export function runTransaction(
  transaction: VerifiedTransaction,
  { engine, accounts }: State,
  { hasPreflight, slot, nonce, freshBlockhash }: RunOptions,
): Run | { readonly refusal: Refusal } {
  const { message } = transaction;
  if (!engine.takes(message)) return { refusal: refusalOf('UnsupportedVersion') };
  const keys = resolveAccountKeys(message, (address) => accounts.now(address));
  const before = accounts.before(keys);
  const [loads, limit] = [accounts.loadedSize(message, keys, before), loadedLimitOf(message)];
  const loadedSize = Math.min(loads, limit);
  const execution = engine.execute(transaction, loads > limit);
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
    return { refusal: fee === 0n ? { ...execution, fee: null, loadedSize: 0 } : { ...execution, fee, loadedSize } };
  }
  const advanced = accounts.advanceNonces(
    { before, after },
    execution.err === null ? undefined : nonce,
    freshBlockhash,
  );
  const costUnits = costUnitsOf(message, keys, { unitsConsumed: execution.unitsConsumed, loadedSize });
  return { execution, keys, balances, fee, costUnits, changed: accounts.change(before, advanced, slot) };
}

/** Runs a transaction and changes nothing. */
export function tryTransaction(transaction: WireTransaction, { engine, accounts }: State): Simulation {
  const { message } = transaction;
  if (!engine.takes(message)) return unsimulated('UnsupportedVersion');
  const keys = resolveAccountKeys(message, (address) => accounts.now(address));
  const [loads, limit] = [accounts.loadedSize(message, keys), loadedLimitOf(message)];
  const trial = engine.simulate(transaction, loads > limit);
  return { ...trial, loadedSize: paysFee(trial) ? Math.min(loads, limit) : 0 };
}

/** The refusal of a transaction that did not run. */
export function refusalOf(err: TransactionError): Refusal {
  return { ...unexecuted(err), fee: null, loadedSize: 0 };
}

/** The simulation of a transaction that cannot run. */
export function unsimulated(err: TransactionError): Simulation {
  return { ...untried(err), loadedSize: 0 };
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}
