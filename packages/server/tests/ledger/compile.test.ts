import {
  AccountRole,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createTransactionMessage,
  getAddressDecoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileMessage } from '../../src/ledger/compile.js';

const anAddress = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => getAddressDecoder().decode(bytes));
const aRole = fc.constantFrom(
  AccountRole.READONLY,
  AccountRole.WRITABLE,
  AccountRole.READONLY_SIGNER,
  AccountRole.WRITABLE_SIGNER,
);

/** A payer, and instructions that name some of the same accounts. */
const aMessage = fc.uniqueArray(anAddress, { minLength: 6, maxLength: 14 }).chain((all) => {
  const [programs, accounts] = [all.slice(0, 2), all.slice(2)];
  const account = fc.record({ address: fc.constantFrom(...accounts), role: aRole });
  const instruction: fc.Arbitrary<Instruction> = fc.record(
    {
      programAddress: fc.constantFrom(...programs),
      accounts: fc.array(account, { maxLength: 12 }),
      data: fc.uint8Array({ maxLength: 200 }),
    },
    { requiredKeys: ['programAddress'] },
  );
  return fc.record({ payer: fc.constantFrom(...accounts), instructions: fc.array(instruction, { maxLength: 6 }) });
});

const aLifetime = fc.record({
  blockhash: anAddress.map((text) => blockhash(text)),
  lastValidBlockHeight: fc.bigInt({ min: 0n, max: 9n }),
});

test('a message has the bytes, the signers and the lifetime that the library compiles it to (S-103)', () => {
  fc.assert(
    fc.property(aMessage, aLifetime, ({ payer, instructions }, lifetime) => {
      const compiled = compileTransaction(
        pipe(
          createTransactionMessage({ version: 'legacy' }),
          (message) => setTransactionMessageFeePayer(payer, message),
          (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
          (message) => appendTransactionMessageInstructions(instructions, message),
        ),
      );
      const own = compileMessage(payer, lifetime, instructions);
      expect(own).toEqual(compiled);
      expect(Object.keys(own.signatures)).toEqual(Object.keys(compiled.signatures));
    }),
  );
});
