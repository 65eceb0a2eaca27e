import { AccountRole, type Address, blockhash, getAddressDecoder, type Instruction } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileBudgeted, compileMessage, withBudget } from '../../src/ledger/compile.js';

const anAddress = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => getAddressDecoder().decode(bytes));
const aBudget = fc.record({
  units: fc.integer({ min: 0, max: 1_400_000 }),
  price: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
});
const anInstruction: fc.Arbitrary<Instruction> = fc.record({
  programAddress: anAddress,
  accounts: fc.array(
    fc.record({ address: anAddress, role: fc.constantFrom(AccountRole.READONLY, AccountRole.WRITABLE) }),
    { maxLength: 6 },
  ),
  data: fc.uint8Array({ maxLength: 60 }),
});
const lifetimeOn = (address: Address) => ({ blockhash: blockhash(address), lastValidBlockHeight: 1n });

test('a transaction with another budget is the one compiled with that budget (S-103)', () => {
  const some = fc.array(anInstruction, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(anAddress, anAddress, some, aBudget, aBudget, (payer, hash, instructions, before, after) => {
      const compiled = (budget: typeof before) => compileBudgeted(payer, lifetimeOn(hash), budget, instructions);
      const trial = compiled(before);
      const copy = trial.messageBytes.slice();
      expect(withBudget(trial, after)).toEqual(compiled(after));
      expect(trial.messageBytes).toEqual(copy);
    }),
  );
});

test('a transaction without a budget gets none (S-103)', () => {
  fc.assert(
    fc.property(anAddress, anAddress, anInstruction, aBudget, (payer, hash, instruction, budget) => {
      const bare = compileMessage(payer, lifetimeOn(hash), [instruction]);
      expect(() => withBudget(bare, budget)).toThrow('without a budget');
    }),
  );
});
