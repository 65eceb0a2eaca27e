import { decodePackage, PackageStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { DEADLINE, must, NOW, SOL, TERMS_HASH } from './harness/delivery.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { signedBy, swapped } from './harness/tamper.js';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const PACKAGE_RENT = (183n + 128n) * 6_960n;

describe('list_package', () => {
  testGuards(async (relay) => ({
    instruction: relay.list(await relay.delivery()),
    owned: { InvalidAccountOwner: [2] },
    strangers: { InvalidAccountOwner: [2], InvalidAccount: [3, 4, 5] },
    fixedAccounts: 6,
  }));

  test('[P-18] locks the budget and the rent minimum in the vault and records what was listed', async ({ relay }) => {
    const delivery = await relay.delivery();
    const before = await relay.lamports(delivery.funder.address);
    const shipperBefore = await relay.lamports(delivery.shipper.address);

    must(await relay.ledger.send(relay.list(delivery, { maxBudget: 3n * SOL })));

    const vault = await relay.ledger.account(delivery.vault);
    const rent = await relay.lamports(delivery.package);
    expect(vault).toMatchObject({ owner: SYSTEM_PROGRAM, data: new Uint8Array(), lamports: 3n * SOL + 890_880n });
    expect(await relay.lamports(delivery.funder.address)).toBe(before - 3n * SOL - 890_880n - rent);
    expect(await relay.lamports(delivery.shipper.address)).toBe(shipperBefore);
    expect(await relay.package(delivery)).toMatchObject({
      status: PackageStatus.Listed,
      formation: 0,
      packageId: delivery.packageId,
      shipper: delivery.shipper.address,
      funder: delivery.funder.address,
      maxBudget: 3n * SOL,
      paid: 0n,
      deadline: DEADLINE,
      termsHash: TERMS_HASH,
      asset: 0,
      reserved: new Uint8Array(23),
    });
  });

  test.skipIf(CANNOT_SET_TIME)('[P-18] notes when the package was listed', async ({ relay }) => {
    expect(await relay.package(await relay.listed())).toMatchObject({ listedAt: NOW });
  });

  test('[P-15] the shipper may be the funder', async ({ relay }) => {
    const shipper = await relay.person('shipper');
    const delivery = await relay.delivery(1, { funder: shipper });
    must(await relay.ledger.send(relay.list(delivery)));
    expect(await relay.package(delivery)).toMatchObject({ shipper: shipper.address, funder: shipper.address });
  });

  test('[P-15] the coordinator may sponsor a package without the signature of its shipper, nobody else may', async ({
    relay,
  }) => {
    const sponsored = await relay.delivery(1, { funder: relay.coordinator });
    must(await relay.ledger.send(relay.list(sponsored, { shipperSigns: false })));
    expect(await relay.package(sponsored)).toMatchObject({ funder: relay.coordinator.address });

    const authority = await relay.person('authority');
    for (const funder of [await relay.person('funder'), authority]) {
      const delivery = await relay.delivery(2, { funder });
      expect((await relay.ledger.send(relay.list(delivery, { shipperSigns: false }))).error).toBe('MissingSignature');
    }
  });

  test('[P-4] refuses a package at the address of another shipper or another id', async ({ relay }) => {
    const delivery = await relay.delivery();
    const other = await relay.delivery(2);
    const misplaced = relay.list({ ...delivery, package: other.package, vault: other.vault });
    expect((await relay.ledger.send(misplaced)).error).toBe('InvalidAccount');
    const impostor = signedBy(relay.list(delivery), 1, await relay.person('impostor'));
    expect((await relay.ledger.send(impostor)).error).toBe('InvalidAccount');
  });

  test('[P-4] refuses a vault of another package', async ({ relay }) => {
    const other = await relay.listed(2);
    const listing = swapped(relay.list(await relay.delivery()), 4, other.vault);
    expect((await relay.ledger.send(listing)).error).toBe('InvalidAccount');
  });

  test('[P-5] works when strangers have sent lamports to the addresses, and keeps them in the vault', async () => {
    // To the package: nothing, less than its rent, exactly its rent, and more.
    for (const gift of [0n, 890_880n, PACKAGE_RENT, 5n * SOL]) {
      const relay = await Relay.initialised();
      const delivery = await relay.delivery();
      if (gift > 0n) {
        await relay.ledger.airdrop(delivery.package, gift);
        await relay.ledger.airdrop(delivery.vault, gift);
      }
      const before = await relay.lamports(delivery.funder.address);

      must(await relay.ledger.send(relay.list(delivery)));

      expect(await relay.lamports(delivery.vault)).toBe(SOL + 890_880n + gift);
      expect(await relay.lamports(delivery.package)).toBe(gift > PACKAGE_RENT ? gift : PACKAGE_RENT);
      const rentLeft = gift > PACKAGE_RENT ? 0n : PACKAGE_RENT - gift;
      expect(before - (await relay.lamports(delivery.funder.address))).toBe(SOL + 890_880n + rentLeft);
      expect(decodePackage(await relay.encoded(delivery.package)).data.status).toBe(PackageStatus.Listed);
    }
  });

  test('[P-6] refuses an id that the shipper used already', async ({ relay }) => {
    const delivery = await relay.listed();
    expect((await relay.ledger.send(relay.list(delivery))).error).toBe('AlreadyInitialized');
    must(await relay.ledger.send(relay.cancel(delivery)));
    expect((await relay.ledger.send(relay.list(delivery))).error).toBe('AlreadyInitialized');
  });

  test('[P-9] refuses while paused', async ({ relay }) => {
    await relay.pause();
    expect((await relay.ledger.send(relay.list(await relay.delivery()))).error).toBe('Paused');
  });

  test('[P-16] refuses a budget of zero and takes one lamport', async ({ relay }) => {
    const delivery = await relay.delivery();
    expect((await relay.ledger.send(relay.list(delivery, { maxBudget: 0n }))).error).toBe('InvalidAmount');
    must(await relay.ledger.send(relay.list(delivery, { maxBudget: 1n })));
  });

  test('[P-11] refuses a budget that does not fit with the rent of the vault', async ({ relay }) => {
    const listing = relay.list(await relay.delivery(), { maxBudget: 2n ** 64n - 1n });
    expect((await relay.ledger.send(listing)).error).toBe('ArithmeticOverflow');
  });

  test('refuses a budget above what the funder has', async ({ relay }) => {
    const delivery = await relay.delivery();
    expect((await relay.ledger.send(relay.list(delivery, { maxBudget: 10_000n * SOL }))).error).toBeDefined();
    expect(await relay.ledger.account(delivery.package)).toBeUndefined();
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[P-17] takes deadlines from ten minutes to 180 days ahead, to the second',
    async ({ relay }) => {
      const days180 = 180n * 86_400n;
      for (const deadline of [NOW + 599n, NOW + days180 + 1n, NOW, NOW - 1n, 0n, -(2n ** 63n), 2n ** 63n - 1n]) {
        const listing = relay.list(await relay.delivery(), { deadline });
        expect([deadline, (await relay.ledger.send(listing)).error]).toEqual([deadline, 'InvalidDeadline']);
      }
      await relay.listed(1, { deadline: NOW + 600n });
      await relay.listed(2, { deadline: NOW + days180 });
    },
  );
});
