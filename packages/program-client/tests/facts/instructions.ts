import { decodeRelayInstruction, type RelayInstruction } from '@legwork/program-client';
import { type Address, generateKeyPairSigner, type Instruction } from '@solana/kit';

export async function anyAddress(): Promise<Address> {
  return (await generateKeyPairSigner()).address;
}

export const programAddress = await anyAddress();
export const config = await anyAddress();
export const coordinator = await anyAddress();

/** The instruction as a transaction of the ledger would show it. */
export function decoded(instruction: Instruction): RelayInstruction {
  const { accounts = [], data = new Uint8Array() } = instruction;
  const found = decodeRelayInstruction(programAddress, { programAddress, accounts: accounts.map(addressed), data });
  if (!found) throw new Error('an instruction of the program');
  return found;
}

function addressed({ address, role }: NonNullable<Instruction['accounts']>[number]) {
  return { address, role };
}
