import {
  AccountRole,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  generateKeyPairSigner,
  getCompiledTransactionMessageDecoder,
  getInstructionsFromCompiledTransactionMessage,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit';
import { expect, test } from 'vitest';
import { compilePaid } from '../src/transactions/compilePaid.js';

const read = ({ messageBytes, signatures }: Transaction) => {
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const { version, lifetimeToken } = compiled;
  const signers = Object.keys(signatures).sort();
  return { version, lifetimeToken, signers, instructions: getInstructionsFromCompiledTransactionMessage(compiled) };
};

test('[A-120] a transaction says to the ledger what the compiler of kit would have it say', async () => {
  const keys = await Promise.all(Array.from({ length: 12 }, async () => (await generateKeyPairSigner()).address));
  const [payer, first, ...more] = keys;
  if (payer === undefined || first === undefined) throw new Error('there are twelve keys');
  const others = [first, ...more] as const;
  const all = [payer, ...others] as const;
  const roles = [
    AccountRole.READONLY,
    AccountRole.WRITABLE,
    AccountRole.READONLY_SIGNER,
    AccountRole.WRITABLE_SIGNER,
  ] as const;
  const lifetime = { blockhash: first as string as Blockhash, lastValidBlockHeight: 9n };
  for (let trial = 0; trial < 200; trial += 1) {
    const any = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(Math.random() * list.length)] ?? list[0];
    const instructions: Instruction[] = Array.from({ length: 1 + (trial % 3) }, () => ({
      programAddress: any(others),
      accounts: Array.from({ length: trial % 8 }, () => ({ address: any(all), role: any(roles) })),
      data: crypto.getRandomValues(new Uint8Array(1 + (trial % 250))),
    }));
    // A program that signs is none.
    const programs = new Set(instructions.map(({ programAddress }) => programAddress));
    const real = instructions.map((one) => ({
      ...one,
      accounts: one.accounts?.filter(({ address }) => !programs.has(address)) ?? [],
    }));
    const wanted = pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayer(payer, empty),
      (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
      (living) => appendTransactionMessageInstructions(real, living),
      compileTransaction,
    );
    const found = compilePaid(payer, lifetime.blockhash, real);
    expect(read(found)).toEqual(read(wanted));
    expect(found.messageBytes.length).toBe(wanted.messageBytes.length);
  }
});
