import { applyTo, foldListing, isMisfit, type Listing, type Transaction } from '@legwork/program-client/facts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { life } from './fates.js';
import { interleaved } from './histories.js';
import { anyAddress } from './instructions.js';
import { STAKE } from './movesOnLedger.js';
import { PackageOnLedger } from './packageOnLedger.js';
import { TermsOnLedger } from './termsOnLedger.js';

const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 50 });

test('the facts of a listing are the same from its own transactions as from those of all', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 4 }), picks, async (begin, order) => {
      const lives = await Promise.all(begin.map((one) => one()));
      const all = interleaved(
        lives.map(({ transactions }) => transactions),
        order,
      ).map(
        (instructions, index): Transaction => ({
          signature: `tx${index}`,
          instructions,
          at: 1_800_000_000n + BigInt(index),
          gained: new Map(),
        }),
      );
      for (const { address, transactions } of lives) {
        const own = all.filter(({ instructions }) => transactions.some((one) => one === instructions));
        expect(foldListing(address, own)).toEqual(foldListing(address, all));
        expect(foldListing(address, own)).toMatchObject({ address });
      }
    }),
    { numRuns: 40 },
  );
});

test('what a transaction is applied to stays as it is, and what does not fit is told and changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(life, async (begin) => {
      const { address, transactions } = await begin();
      let before: Listing | undefined;
      for (const [index, instructions] of transactions.entries()) {
        const transaction = { signature: `tx${index}`, instructions, at: null, gained: new Map<string, bigint>() };
        const kept = structuredClone(before);
        const after = applyTo(before, address, transaction);
        expect(before).toEqual(kept);
        if (isMisfit(after)) throw new Error(`it fits: ${after.misfit}`);
        const again = applyTo(after, address, transaction);
        expect(again).toEqual({ signature: `tx${index}`, misfit: expect.any(String) });
        before = after;
      }
    }),
    { numRuns: 60 },
  );
});

test('without terms what comes into the vault is no payment that a courier could not receive (T-17)', async () => {
  const parcel = await PackageOnLedger.of([await anyAddress()], [30n]);
  const transactions = [[parcel.list()], parcel.form(), [parcel.confirm(0)]].map((instructions, index) => {
    // A stranger gives as much as the leg pays.
    return {
      signature: `tx${index}`,
      instructions,
      at: null,
      gained: new Map(index === 2 ? [[parcel.vault, 0n]] : []),
    };
  });
  expect(foldListing(parcel.address, transactions)).toMatchObject({ paidLamports: 30n, gainedLamports: 0n });
});

test('a vault that is filled in the transaction does not show what a wallet could not receive (T-17)', async () => {
  const [courier, passerBy] = [await anyAddress(), await anyAddress()];
  const parcel = await TermsOnLedger.of([courier], [30n]);
  const first = { index: 0, courier };
  const moves = [parcel.moves.take(first), parcel.moves.claim(first), parcel.end(first, passerBy)];
  const instructions = [parcel.list(), ...parcel.form(), ...moves];
  // As much as if the stake had stayed there.
  const gained = new Map([[parcel.vault, STAKE - 30n]]);
  const found = foldListing(parcel.address, [{ signature: 'tx0', instructions, at: 1_800_000_000n, gained }]);
  expect(found).toMatchObject({ paidLamports: 30n, gainedLamports: 0n });
});
