import { type Address, generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { GapError, replayed, type Transaction } from './histories.js';
import { PackageOnLedger } from './packageOnLedger.js';

const couriers: Address[] = await Promise.all(
  Array.from({ length: 2 }, async () => (await generateKeyPairSigner()).address),
);

async function twoLegs(): Promise<PackageOnLedger> {
  return PackageOnLedger.of(couriers.slice(0, 2), [30n, 50n]);
}

/** A whole life, one transaction after the other. */
function life(parcel: PackageOnLedger): Transaction[] {
  return [
    [parcel.list()],
    parcel.form(),
    [parcel.confirm(0)],
    [parcel.confirm(1)],
    [parcel.settle()],
    [parcel.close()],
  ];
}

describe('what the transactions of a package add up to', () => {
  test('a delivery, closed (P-44, P-50, P-67)', async () => {
    const parcel = await twoLegs();
    const facts = replayed(life(parcel));
    expect(facts.packages.get(parcel.address)).toMatchObject({
      id: parcel.id,
      status: 'delivered',
      statusSignature: 'tx4',
      closeSignature: 'tx5',
      listSignature: 'tx0',
      budgetLamports: 90n,
      paidLamports: 80n,
      formation: {
        number: 1,
        formSignature: 'tx1',
        totalLegs: 2,
        reservedLamports: 80n,
        legs: [
          { courier: couriers[0], paymentLamports: 30n, confirmSignature: 'tx2' },
          { courier: couriers[1], paymentLamports: 50n, confirmSignature: 'tx3' },
        ],
      },
    });
    expect(facts.reputations.get(couriers[1] ?? '')).toMatchObject({ accepted: 1n, completed: 1n, signature: 'tx3' });
  });

  test('a listing taken back in the transaction that made it', async () => {
    const parcel = await twoLegs();
    const { packages } = replayed([[parcel.list(), parcel.cancel()]]);
    expect(packages.get(parcel.address)).toMatchObject({
      status: 'cancelled',
      statusSignature: 'tx0',
      paidLamports: 0n,
    });
  });

  test('what was paid before a reclaim stays paid, and the leg not carried counts as accepted (P-35, P-56)', async () => {
    const parcel = await twoLegs();
    const facts = replayed([[parcel.list()], parcel.form(), [parcel.confirm(0)], [parcel.reclaim()]]);
    expect(facts.packages.get(parcel.address)).toMatchObject({ status: 'reclaimed', paidLamports: 30n });
    expect(facts.reputations.get(couriers[1] ?? '')).toMatchObject({ accepted: 1n, completed: 0n });
  });

  test('a swarm whose legs are assigned one by one is forming until the last (P-31)', async () => {
    const parcel = await twoLegs();
    const [formed, first, second] = parcel.form();
    const begun = [[parcel.list()], [formed, first].filter((one) => one !== undefined)];
    expect(replayed(begun).packages.get(parcel.address)?.status).toBe('forming');
    const facts = replayed([...begun, second ? [second] : []]);
    expect(facts.packages.get(parcel.address)?.status).toBe('in_transit');
  });
});

describe('a history with a gap', () => {
  test.each([0, 1, 2, 3, 4])('is refused when transaction %i of a life is missing', async (missing) => {
    const transactions = life(await twoLegs());
    expect(() => replayed(transactions.toSpliced(missing, 1))).toThrow(GapError);
  });

  test.each([0, 1, 2, 3, 4, 5])('is refused when transaction %i of a life is there twice', async (repeated) => {
    const transactions = life(await twoLegs());
    expect(() => replayed([...transactions.slice(0, repeated + 1), ...transactions.slice(repeated)])).toThrow(
      `tx${repeated + 1} cannot follow`,
    );
  });

  test('is refused when a confirmation is of another formation (P-38)', async () => {
    const parcel = await twoLegs();
    expect(() => replayed([[parcel.list()], parcel.form(), [parcel.confirm(0, 2)]])).toThrow(GapError);
  });

  test('is refused when a complete swarm was reclaimed (P-55)', async () => {
    const parcel = await twoLegs();
    const confirmed = [[parcel.list()], parcel.form(), [parcel.confirm(0)], [parcel.confirm(1)]];
    expect(() => replayed([...confirmed, [parcel.reclaim()]])).toThrow('reclaimPackage found 2 legs confirmed');
  });
});
