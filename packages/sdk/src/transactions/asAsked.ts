import { MEMO_PROGRAM_ADDRESS } from '@legwork/program-client';
import { getCompiledTransactionMessageDecoder, getInstructionsFromCompiledTransactionMessage } from '@solana/kit';
import type { Address, CompiledTransactionMessage, Instruction, Transaction } from '@solana/kit';
import { TransactionRefusedError } from '../errors.js';
import { COMPUTE_BUDGET_PROGRAM, MAX_PRIORITY_FEE_LAMPORTS, priorityFeeLamports } from './readTransaction.js';

/** The program by which wallets make a transaction fail if it does otherwise than they showed. */
const LIGHTHOUSE_PROGRAM = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';
/** The instructions of it that only compare; those before write an account and close it, those behind call other programs. */
const FIRST_ASSERTION = 2;
const LAST_ASSERTION = 15;

/** The bytes of each instruction to the compute budget that ledgers still take, by its number. */
const BUDGET_LENGTHS: Readonly<Record<number, number>> = { 1: 5, 2: 5, 3: 9, 4: 5 };

/** A transaction taken apart. */
interface Parts {
  readonly version: unknown;
  readonly lifetime: string;
  readonly feePayer: Address | undefined;
  readonly signers: string;
  readonly writable: string;
  readonly instructions: readonly Instruction[];
}

/**
 * Makes sure that a wallet signed what it was asked to, at most with additions that can move nothing: a compute budget within the bound on
 * fees, assertions, and memos. Every instruction that was asked for is there unchanged and in order, under the same fee payer, signers,
 * writable accounts and blockhash. Where others sign too nothing may differ, for each would sign other bytes. Rule S-173.
 *
 * @throws {TransactionRefusedError} that says what was added or changed
 */
export function requireAsAsked(asked: Transaction, signed: Transaction): void {
  if (isSameBytes(asked.messageBytes, signed.messageBytes)) return;
  const before = partsOf(asked);
  const after = partsOf(signed);
  if (Object.keys(asked.signatures).length > 1) {
    throw other('it changed one that others sign too, which has to stay as it is');
  }
  requireKept('its version', before.version, after.version);
  requireKept('its fee payer', before.feePayer, after.feePayer);
  // Before what follows from an instruction that was added, so that the error names that.
  requireInstructions(before.instructions, after.instructions);
  requireKept('its blockhash', before.lifetime, after.lifetime);
  requireKept('the list of its signers', before.signers, after.signers);
  requireKept('the list of accounts that it may change', before.writable, after.writable);
  const fee = priorityFeeLamports(after.instructions);
  if (fee > MAX_PRIORITY_FEE_LAMPORTS) {
    throw other(`it offers a priority fee of ${fee} lamports; at most ${MAX_PRIORITY_FEE_LAMPORTS} are accepted`);
  }
}

function requireKept(what: string, before: unknown, after: unknown): void {
  if (before !== after) throw other(`${what} was ${String(before)} and is ${String(after)}`);
}

function requireInstructions(asked: readonly Instruction[], signed: readonly Instruction[]): void {
  // The wallet sets the compute budget of a transaction: a second instruction about the same would make it fail.
  const wanted = asked.filter(({ programAddress }) => programAddress !== COMPUTE_BUDGET_PROGRAM);
  let found = 0;
  for (const [at, instruction] of signed.entries()) {
    const next = wanted[found];
    if (next && isSame(next, instruction)) found += 1;
    else if (!movesNothing(instruction)) {
      throw other(`instruction ${at + 1}, of program ${instruction.programAddress}, was not asked for`);
    }
  }
  const missing = wanted[found];
  if (missing) throw other(`an instruction of program ${missing.programAddress} was changed, moved or left out`);
}

/** Reports whether an instruction can move nothing, whatever accounts it is given. */
function movesNothing({ programAddress, accounts = [], data = new Uint8Array() }: Instruction): boolean {
  const [kind = -1] = data;
  if (programAddress === COMPUTE_BUDGET_PROGRAM) return accounts.length === 0 && BUDGET_LENGTHS[kind] === data.length;
  if (programAddress === LIGHTHOUSE_PROGRAM) return kind >= FIRST_ASSERTION && kind <= LAST_ASSERTION;
  return programAddress === MEMO_PROGRAM_ADDRESS && accounts.length === 0;
}

function partsOf({ messageBytes }: Transaction): Parts {
  try {
    return readParts(messageBytes);
  } catch (cause) {
    if (cause instanceof TransactionRefusedError) throw cause;
    throw other('it cannot be read', cause);
  }
}

function readParts(messageBytes: Transaction['messageBytes']): Parts {
  const [compiled, end] = getCompiledTransactionMessageDecoder().read(messageBytes, 0);
  // Bytes behind its end are in no part, and would be signed too.
  if (end !== messageBytes.length) throw other('it has bytes behind its end');
  if ('addressTableLookups' in compiled && (compiled.addressTableLookups?.length ?? 0) > 0) {
    throw other('it takes accounts from lookup tables, which cannot be read from it');
  }
  if (compiled.version === 1) throw other('it is of version 1, which is not read here');
  const { signers, writable } = rolesIn(compiled);
  return {
    version: compiled.version,
    lifetime: compiled.lifetimeToken,
    feePayer: compiled.staticAccounts[0],
    signers: signers.toSorted().join(', '),
    writable: writable.toSorted().join(', '),
    instructions: getInstructionsFromCompiledTransactionMessage(compiled),
  };
}

function rolesIn({ header, staticAccounts }: Pick<CompiledTransactionMessage, 'header' | 'staticAccounts'>) {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  const writableSigners = numSignerAccounts - numReadonlySignerAccounts;
  const firstReadonly = staticAccounts.length - numReadonlyNonSignerAccounts;
  return {
    signers: staticAccounts.slice(0, numSignerAccounts),
    writable: staticAccounts.filter((_, at) => at < writableSigners || (at >= numSignerAccounts && at < firstReadonly)),
  };
}

function isSame(one: Instruction, two: Instruction): boolean {
  const accounts = ({ accounts: all = [] }: Instruction) => all.map(({ address, role }) => `${address} ${role}`).join();
  const [data, found] = [one.data ?? new Uint8Array(), two.data ?? new Uint8Array()];
  return one.programAddress === two.programAddress && accounts(one) === accounts(two) && isSameBytes(data, found);
}

function isSameBytes(one: ArrayLike<number>, two: ArrayLike<number>): boolean {
  return one.length === two.length && Array.from(one).every((byte, at) => byte === two[at]);
}

const other = (what: string, cause?: unknown) =>
  new TransactionRefusedError(`the wallet signed another transaction than it was asked to: ${what}`, { cause });
