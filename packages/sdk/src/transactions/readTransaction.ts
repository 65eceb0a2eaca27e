import { decodeRelayInstruction } from '@legwork/program-client';
import type { RelayInstruction } from '@legwork/program-client';
import { address, decompileTransactionMessage, getCompiledTransactionMessageDecoder } from '@solana/kit';
import type { Address, Instruction, Transaction } from '@solana/kit';
import { TransactionRefusedError } from '../errors.js';
import { COMPUTE_BUDGET_PROGRAM, priorityFeeLamports } from './computeBudget.js';
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
  readonly feePayer: Address;
  /** The wallets that have to sign, the fee payer among them. */
  readonly signers: readonly Address[];
  /** The one instruction of the program, decoded. */
  readonly instruction: Extract<RelayInstruction, { name: Name }>;
}

/** The most a transaction may offer on top of the base fee: 0.001 SOL. A larger offer would empty a wallet by fees. */
export const MAX_PRIORITY_FEE_LAMPORTS = 1_000_000n;

/**
 * Reads a transaction that the service built and makes sure it is what was asked for: the named instruction of the named
 * program, once, beside compute-budget instructions only, no lookup tables, and a bounded fee.
 *
 * @param base64 the wire transaction
 * @throws {TransactionRefusedError} when it is anything else
 */
export function readTransaction<Name extends RelayInstruction['name']>(
  base64: string,
  expected: ExpectedInstruction<Name>,
): ReadTransaction<Name> {
  const transaction = decodeWire(base64);
  const compiled = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  if ('addressTableLookups' in compiled && compiled.addressTableLookups !== undefined) {
    throw new TransactionRefusedError('the transaction hides accounts behind lookup tables');
  }
  const message = decompileTransactionMessage(compiled);
  const instruction = soleInstruction(message.instructions, expected);
  const fee = priorityFeeLamports(message.instructions);
  if (fee > MAX_PRIORITY_FEE_LAMPORTS) {
    throw new TransactionRefusedError(
      `the transaction offers a priority fee of ${fee} lamports; at most ${MAX_PRIORITY_FEE_LAMPORTS} are accepted`,
    );
  }
  return {
    transaction,
    feePayer: message.feePayer.address,
    signers: Object.keys(transaction.signatures).map((signer) => address(signer)),
    instruction,
  };
}

function soleInstruction<Name extends RelayInstruction['name']>(
  instructions: readonly Instruction[],
  { programId, name }: ExpectedInstruction<Name>,
): Extract<RelayInstruction, { name: Name }> {
  const others = instructions.filter(({ programAddress }) => programAddress !== COMPUTE_BUDGET_PROGRAM);
  const [first, ...extra] = others;
  const decoded = first && decodeRelayInstruction(address(programId), first);
  if (!isNamed(decoded, name) || extra.length > 0) {
    const found = others.map((other) => describe(other, programId)).join(', ') || 'no instruction';
    throw new TransactionRefusedError(
      `expected ${name} of program ${programId} and nothing else, but the transaction holds ${found}`,
    );
  }
  return decoded;
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
