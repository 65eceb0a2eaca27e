import { decodeRelayInstruction, type RelayInstruction } from '../decodeRelayInstruction.js';
import {
  AccountRole,
  getBase58Encoder,
  signature as toSignature,
  type Address,
  type TransactionError,
} from '@solana/kit';
import { ask, type ReadLedger } from './ask.js';

/** A transaction that the ledger shows as confirmed. */
export interface LandedTransaction {
  slot: bigint;
  /** What went wrong; null: it succeeded. */
  error: TransactionError | null;
  /** The program's instructions in it, top-level and inner, in the order they ran. Empty when it failed. */
  instructions: RelayInstruction[];
}

interface CompiledInstruction {
  programIdIndex: number;
  accounts: readonly number[];
  data: string;
}

/** Reads a confirmed transaction and decodes the program's instructions; undefined when the ledger shows no such. */
export async function findLanded(ledger: ReadLedger, signature: string): Promise<LandedTransaction | undefined> {
  const found = await ask(
    ledger.rpc.getTransaction(toSignature(signature), {
      commitment: 'confirmed',
      encoding: 'json',
      maxSupportedTransactionVersion: 0,
    }),
  );
  if (found === null || found.meta === null) return undefined;
  if (found.meta.err !== null) return { slot: found.slot, error: found.meta.err, instructions: [] };

  const { message } = found.transaction;
  const loaded = found.meta.loadedAddresses;
  const keys = [...message.accountKeys, ...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])];
  const inner = new Map((found.meta.innerInstructions ?? []).map((group) => [group.index, group.instructions]));
  const inOrder = message.instructions.flatMap((instruction, index) => [instruction, ...(inner.get(index) ?? [])]);
  const instructions = inOrder.flatMap((instruction) => {
    const decoded = decode(ledger.programAddress, keys, instruction);
    return decoded ? [decoded] : [];
  });
  return { slot: found.slot, error: null, instructions };
}

function decode(
  programAddress: Address,
  keys: readonly Address[],
  instruction: CompiledInstruction,
): RelayInstruction | undefined {
  const program = keys[instruction.programIdIndex];
  if (program !== programAddress) return undefined;
  const accounts = instruction.accounts.flatMap((index) => {
    const key = keys[index];
    // The privileges were checked when the transaction ran; the decoder only needs the order.
    return key === undefined ? [] : [{ address: key, role: AccountRole.READONLY }];
  });
  return decodeRelayInstruction(programAddress, {
    programAddress: program,
    accounts,
    data: getBase58Encoder().encode(instruction.data),
  });
}
