import { type CompiledTransactionMessage, getCompiledTransactionMessageDecoder, type Instruction } from '@solana/kit';
import { readMessage } from '@legwork/program-client';

/** Says in which way a message is another one than was meant, for people; both are legacy ones that can be read. */
export function differenceOf(found: Uint8Array, meant: Uint8Array): string {
  const [sent, wanted] = [partsOf(found), partsOf(meant)];
  const tooMuch = (what: 'writable' | 'signers') => sent[what].find((one) => !wanted[what].includes(one));
  const [written, signer] = [tooMuch('writable'), tooMuch('signers')];
  if (signer !== undefined) return `${signer} signs it, which should not`;
  if (written !== undefined) return `it may write ${written}, which is one account too much`;
  const index = wanted.instructions.findIndex((one, at) => textOf(one) !== textOf(sent.instructions[at]));
  if (index !== -1) return `its instruction ${index + 1} is another one`;
  if (sent.instructions.length > wanted.instructions.length) return 'it has one instruction too many';
  return 'its accounts stand in another order, or more is in it than its instructions name';
}

function partsOf(messageBytes: Uint8Array) {
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  return { ...rolesIn(compiled), instructions: readMessage({ messageBytes: messageBytes as never }).instructions };
}

function rolesIn({ header, staticAccounts }: Pick<CompiledTransactionMessage, 'header' | 'staticAccounts'>) {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  const firstReadonly = staticAccounts.length - numReadonlyNonSignerAccounts;
  const isWritable = (at: number) =>
    at < numSignerAccounts ? at < numSignerAccounts - numReadonlySignerAccounts : at < firstReadonly;
  return {
    signers: staticAccounts.slice(0, numSignerAccounts),
    writable: staticAccounts.filter((_, at) => isWritable(at)),
  };
}

function textOf(instruction: Instruction | undefined): string {
  if (instruction === undefined) return '';
  const { programAddress, accounts = [], data = new Uint8Array() } = instruction;
  return [
    programAddress,
    ...accounts.map(({ address }) => address),
    Buffer.from(Uint8Array.from(data)).toString('hex'),
  ].join();
}
