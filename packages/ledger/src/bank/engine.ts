import {
  FailedTransactionMetadata,
  InstructionErrorCustom,
  TransactionErrorDuplicateInstruction,
  TransactionErrorInstructionError,
  TransactionErrorInsufficientFundsForRent,
  TransactionErrorProgramExecutionTemporarilyRestricted,
  type Account as EngineAccount,
  type LiteSvm,
  type SimulatedTransactionInfo,
  type TransactionMetadata,
} from 'litesvm/dist/internal.js';
import type { Account } from './account.js';
import { DEFAULT_FEATURES, readFeatures, type Features } from './features.js';
import { keyOf, toBase58, type Key } from './keys.js';
import { USUAL_SLOTS_PER_EPOCH } from './commitment.js';
import { resolveAccountKeys } from './accountKeys.js';
import { feeOf, isUnloadable, paysFee } from './fees.js';
import { GENESIS_ACCOUNTS, OWNERS_OF_BUILTINS } from './programs.js';
import type { VerifiedTransaction } from './signatures.js';
import { createSvm, toEngine } from './svm.js';
import { CONSTANT_SYSVARS, sysvarAccount } from './sysvars.js';
import {
  INSTRUCTION_ERRORS,
  TRANSACTION_ERRORS,
  type InstructionError,
  type TransactionError,
} from './transactionError.js';
import type { WireMessage, WireTransaction } from './wire.js';

export type InnerInstruction = {
  readonly programIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
  readonly stackHeight: number;
};

/** The feature of transactions of version 1 (SIMD-0385). */
const VERSION_1 = 'txv1aq4pp281K9um3tnPgkfX8UqtFT6wcVW3hNezGLL';

/** The result of running a transaction. */
export type Execution = {
  readonly err: TransactionError | null;
  readonly logs: readonly string[];
  /** One list for each top-level instruction, empty ones included. */
  readonly innerInstructions: readonly (readonly InnerInstruction[])[];
  readonly unitsConsumed: bigint;
  readonly returnData: { readonly program: Uint8Array; readonly data: Uint8Array } | null;
};

/** A simulated run: nothing changed; `postAccounts` are the accounts as they would be. */
export type Trial = Execution & { readonly postAccounts: ReadonlyMap<Key, Account> };

/** The execution of a transaction that did not run. */
export function unexecuted(err: TransactionError): Execution {
  return { err, logs: [], innerInstructions: [], unitsConsumed: 0n, returnData: null };
}

export function untried(err: TransactionError): Trial {
  return { ...unexecuted(err), postAccounts: new Map() };
}

/**
 * LiteSVM, called below its JavaScript wrapper, which decodes and encodes each transaction once more (95 µs, three
 * times as long as running it).
 */
export class Engine {
  readonly #svm: LiteSvm;
  readonly features: Features;
  readonly slotsPerEpoch: bigint;
  /** Programs that were removed. */
  readonly #removed = new Set<Key>();

  constructor(features: Features = readFeatures(DEFAULT_FEATURES), slotsPerEpoch: number = USUAL_SLOTS_PER_EPOCH) {
    this.slotsPerEpoch = BigInt(slotsPerEpoch);
    this.#svm = createSvm(features, this.slotsPerEpoch);
    this.features = features;
    for (const sysvar of CONSTANT_SYSVARS) this.setSysvar(sysvar, this.#require(sysvar).data);
    for (const { address, fields } of GENESIS_ACCOUNTS) {
      this.setAccount(address, { ...(this.account(address) ?? NOTHING), ...fields });
    }
  }

  /** Reports whether its features let it run messages of this version; LiteSVM runs all. Rule L-86. */
  takes({ version }: WireMessage): boolean {
    return version !== 1 || this.features.includes(VERSION_1);
  }

  /** Runs a transaction. A failed one changes only its payer, by the fee. */
  execute(transaction: VerifiedTransaction, loadsTooMuch: boolean): Execution {
    const { bytes, message } = transaction;
    if (loadsTooMuch) {
      const refused = this.simulate(transaction, loadsTooMuch);
      if (paysFee(refused)) this.#chargeFee(message);
      return refused;
    }
    const result = this.#withoutRemoved(message, () => this.#svm.sendVersionedTransaction(bytes));
    if (!(result instanceof FailedTransactionMetadata)) return success(result);
    const failed = this.#failure(result, message);
    // The engine forgets the fee of what it does not run.
    if (isUnloadable(failed.err)) this.#chargeFee(message);
    return failed;
  }

  /** Runs a parsed transaction and changes nothing, whatever its signatures. */
  simulate({ bytes, message }: WireTransaction, loadsTooMuch: boolean): Trial {
    const result = this.#withoutRemoved(message, () => this.#svm.simulateVersionedTransaction(bytes));
    const trial =
      result instanceof FailedTransactionMetadata
        ? { ...this.#failure(result, message), postAccounts: new Map() }
        : trialOf(result);
    // A payer that cannot pay comes first.
    return loadsTooMuch && paysFee(trial) ? untried('MaxLoadedAccountsDataSizeExceeded') : trial;
  }

  /**
   * The engine keeps the code of a program that was removed, and ends the process when a transaction calls it, or names it for nothing.
   * Meanwhile there is something else at its address.
   */
  #withoutRemoved<T>(message: WireMessage, run: () => T): T {
    if (this.#removed.size === 0) return run();
    const { all, names, isWritable } = resolveAccountKeys(message, (address) => this.account(address));
    const used = new Set(message.instructions.flatMap(({ accounts }) => [...accounts]));
    const missing = all.filter((address, index) => {
      const isRemoved = this.#removed.has(names[index] ?? '') && this.balance(address) === 0n;
      return isRemoved && !isWritable(index) && !used.has(index);
    });
    for (const address of missing) this.#svm.setAccount(address, NO_PROGRAM);
    try {
      return run();
    } finally {
      for (const address of missing) this.setAccount(address, undefined);
    }
  }

  /** The engine has one error for a program that is none and one that does not exist. */
  #failure(failed: FailedTransactionMetadata, { instructions, staticKeys }: WireMessage): Execution {
    const err = errorOf(failed);
    const programs = isUnloadable(err)
      ? instructions.map((one) => this.account(staticKeys[one.programIndex] ?? NO_KEY))
      : [];
    const none = programs.findIndex((program) => program?.executable !== true);
    const isMissing = none !== -1 && programs[none] === undefined;
    return { err: isMissing ? 'ProgramAccountNotFound' : err, ...details(failed.meta()) };
  }

  #chargeFee(message: WireMessage): void {
    const payer = message.staticKeys[0] ?? NO_KEY;
    const account = this.#require(payer);
    this.setAccount(payer, { ...account, lamports: account.lamports - feeOf(message) });
  }

  account(address: Uint8Array): Account | undefined {
    const found = this.#svm.getAccount(address);
    if (found === null) return undefined;
    const account = fromEngine(found);
    return account.lamports === 0n ? undefined : account;
  }

  #require(address: Uint8Array): Account {
    const account = this.account(address);
    if (account === undefined) throw new Error(`the engine has no account ${toBase58(address)}`);
    return account;
  }

  balance(address: Uint8Array): bigint {
    return this.#svm.getBalance(address) ?? 0n;
  }

  /**
   * Sets an account, bypassing all rules; `undefined` removes it. Set a program's data account before the program.
   *
   * @throws UnfitAccountError when it is a program that does not load
   */
  setAccount(address: Uint8Array, account: Account | undefined): void {
    if (account === undefined && this.account(address)?.executable) this.#removed.add(keyOf(address));
    try {
      this.#svm.setAccount(address, toEngine(account ?? NOTHING));
    } catch (error) {
      throw new UnfitAccountError(address, error);
    }
  }

  setSysvar(address: Uint8Array, data: Uint8Array): void {
    this.setAccount(address, sysvarAccount(data, this.rentExemptMinimum(BigInt(data.length))));
  }

  /** Accounts that are there without a transaction: programs and sysvars. */
  *builtins(): Generator<{ address: Uint8Array; account: Account }> {
    for (const owner of OWNERS_OF_BUILTINS) {
      for (const found of this.#svm.getProgramAccounts(owner)) {
        const account = fromEngine(found.account());
        if (account.lamports > 0n) yield { address: found.address, account };
      }
    }
  }

  /** The rent-exempt minimum of an account with this many bytes, in lamports. */
  rentExemptMinimum(bytes: bigint): bigint {
    return this.#svm.minimumBalanceForRentExemption(bytes);
  }
}

/** An account that the engine does not take: a program whose code does not load. */
export class UnfitAccountError extends Error {
  override readonly name = 'UnfitAccountError';

  constructor(address: Uint8Array, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${toBase58(address)} cannot be set as it is: ${why}`, { cause });
  }
}

const NO_KEY = new Uint8Array(32);

const NOTHING: Account = {
  lamports: 0n,
  data: new Uint8Array(),
  owner: new Uint8Array(32),
  executable: false,
  rentEpoch: 0n,
};

const NO_PROGRAM = toEngine({ ...NOTHING, lamports: 1n });

function fromEngine(account: EngineAccount): Account {
  return {
    lamports: account.lamports(),
    data: account.data(),
    owner: account.owner(),
    executable: account.executable(),
    rentEpoch: account.rentEpoch(),
  };
}

function trialOf(info: SimulatedTransactionInfo): Trial {
  const posts = info.postAccounts().map((post) => [keyOf(post.address), fromEngine(post.account())] as const);
  return { ...success(info.meta()), postAccounts: new Map(posts) };
}

function success(meta: TransactionMetadata): Execution {
  return { err: null, ...details(meta) };
}

function details(meta: TransactionMetadata): Omit<Execution, 'err'> {
  const returned = meta.returnData();
  const data = returned.data();
  return {
    logs: meta.logs(),
    innerInstructions: meta.innerInstructions().map((list) =>
      list.map((inner) => {
        const instruction = inner.instruction();
        return {
          programIndex: instruction.programIdIndex(),
          accounts: instruction.accounts(),
          data: instruction.data(),
          stackHeight: inner.stackHeight(),
        };
      }),
    ),
    unitsConsumed: meta.computeUnitsConsumed(),
    returnData: data.length === 0 ? null : { program: returned.programId(), data },
  };
}

function errorOf(failed: FailedTransactionMetadata): TransactionError {
  const err = failed.err();
  if (err instanceof TransactionErrorInstructionError)
    return { InstructionError: [err.index, instructionErrorOf(err)] };
  if (err instanceof TransactionErrorDuplicateInstruction) return { DuplicateInstruction: err.index };
  if (err instanceof TransactionErrorInsufficientFundsForRent) {
    return { InsufficientFundsForRent: { account_index: err.accountIndex } };
  }
  if (err instanceof TransactionErrorProgramExecutionTemporarilyRestricted) {
    return { ProgramExecutionTemporarilyRestricted: { account_index: err.accountIndex } };
  }
  return TRANSACTION_ERRORS[err]?.[0] ?? failed.toString();
}

function instructionErrorOf(err: TransactionErrorInstructionError): InstructionError {
  const inner = err.err();
  if (inner instanceof InstructionErrorCustom) return { Custom: inner.code };
  if (typeof inner === 'number') return INSTRUCTION_ERRORS[inner]?.[0] ?? 'GenericError';
  return 'BorshIoError';
}
