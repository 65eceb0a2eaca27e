import { decodeRelayInstruction } from '@legwork/program-client';
import type { RelayInstruction } from '@legwork/program-client';
import {
  address,
  getCompiledTransactionMessageDecoder,
  getInstructionsFromCompiledTransactionMessage,
} from '@solana/kit';
import type { Address, Instruction, Transaction } from '@solana/kit';
import { TransactionRefusedError } from '../errors.js';
import { COMPUTE_BUDGET_PROGRAM, MAX_PRIORITY_FEE_LAMPORTS, priorityFeeLamports } from './computeBudget.js';
import { decodeWire } from './wire.js';

/** Which transaction is meant: one instruction of one program. */
export interface ExpectedInstruction<Name extends RelayInstruction['name'] = RelayInstruction['name']> {
  /** Id of the relay program, as the service's configuration gives it. */
  readonly programId: string;
  /** The instruction's name in the IDL, for example `confirmLeg`. */
  readonly name: Name;
}

/** An unsigned transaction that holds what was expected and nothing else. */
export interface ReadTransaction<Name extends RelayInstruction['name']> {
  readonly transaction: Transaction;
  /** The block after which it lives for about a minute. */
  readonly blockhash: string;
  readonly feePayer: Address;
  /** What it offers on top of the base fee, lamports. */
  readonly priorityFeeLamports: bigint;
  /** The wallets that have to sign, the fee payer among them. */
  readonly signers: readonly Address[];
  /** The one instruction of the program, decoded. */
  readonly instruction: Extract<RelayInstruction, { name: Name }>;
  /** The same as it stands in the transaction. */
  readonly encoded: Instruction;
}

/**
 * Reads a transaction that the service built and makes sure it is what was asked for: the named instruction of the named
 * program, once, beside compute-budget instructions only, no lookup tables, and a bounded fee.
 *
 * @param base64 the wire transaction
 * @throws {TransactionRefusedError} when it is anything else
 */
export function readTransaction<Name extends RelayInstruction['name']>(
  base64: string,
  { programId, name }: ExpectedInstruction<Name>,
): ReadTransaction<Name> {
  const read = readSole(decodeWire(base64), programId, name);
  const { instruction } = read;
  if (!isNamed(instruction, name)) throw unexpected(name, programId, instruction.name);
  return { ...read, instruction };
}

/**
 * As {@link readTransaction}, for any one instruction of the program: what a wallet looks at that signs whatever is asked
 * within its limits.
 *
 * @throws {TransactionRefusedError} when it holds anything else
 */
export function readRelayTransaction(
  transaction: Transaction,
  programId: string,
): ReadTransaction<RelayInstruction['name']> {
  return readSole(transaction, programId, 'one instruction');
}

function readSole(
  transaction: Transaction,
  programId: string,
  wanted: string,
): ReadTransaction<RelayInstruction['name']> {
  const compiled = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  if ('addressTableLookups' in compiled && compiled.addressTableLookups !== undefined) {
    throw new TransactionRefusedError('the transaction hides accounts behind lookup tables');
  }
  // Its fee stands elsewhere than in instructions.
  if (compiled.version === 1) throw new TransactionRefusedError('a transaction of version 1 is not read here');
  const instructions = getInstructionsFromCompiledTransactionMessage(compiled);
  const { instruction, encoded } = soleInstruction(instructions, programId, wanted);
  const priorityFee = priorityFeeLamports(instructions);
  if (priorityFee > MAX_PRIORITY_FEE_LAMPORTS) {
    throw new TransactionRefusedError(
      `the transaction offers a priority fee of ${priorityFee} lamports; at most ${MAX_PRIORITY_FEE_LAMPORTS} are accepted`,
    );
  }
  return {
    transaction,
    blockhash: compiled.lifetimeToken,
    priorityFeeLamports: priorityFee,
    feePayer: feePayerOf(compiled.staticAccounts),
    signers: Object.keys(transaction.signatures).map((signer) => address(signer)),
    instruction,
    encoded,
  };
}

function feePayerOf([first]: readonly Address[]): Address {
  if (first === undefined) throw new TransactionRefusedError('the transaction has no accounts');
  return first;
}

function soleInstruction(instructions: readonly Instruction[], programId: string, wanted: string) {
  const others = instructions.filter(({ programAddress }) => programAddress !== COMPUTE_BUDGET_PROGRAM);
  const [first, ...extra] = others;
  const decoded = first && decodeRelayInstruction(address(programId), first);
  if (first === undefined || decoded === undefined || extra.length > 0) {
    const found = others.map((other) => describe(other, programId)).join(', ') || 'no instruction';
    throw unexpected(wanted, programId, found);
  }
  return { instruction: decoded, encoded: first };
}

function unexpected(wanted: string, programId: string, found: string): TransactionRefusedError {
  return new TransactionRefusedError(
    `expected ${wanted} of program ${programId} and nothing else, but the transaction holds ${found}`,
  );
}

function isNamed<Name extends RelayInstruction['name']>(
  instruction: RelayInstruction | undefined,
  name: Name,
): instruction is Extract<RelayInstruction, { name: Name }> {
  return instruction?.name === name;
}

function describe(instruction: Instruction, programId: string): string {
  const name = decodeRelayInstruction(address(programId), instruction)?.name;
  return name ?? `an instruction of program ${instruction.programAddress}`;
}
