import { PackageStatus } from '@legwork/program-client';
import { getTransferSolInstruction } from '@solana-program/system';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { readOnly, swapped, truncated } from './harness/tamper.js';

const PAYMENTS = [SOL / 2n, SOL / 4n];

describe('settle', () => {
  testGuards(async (relay) => ({
    instruction: await relay.settle(await relay.carried(PAYMENTS), 2),
    owned: { InvalidAccountOwner: [1, 2, 5, 8, 9] },
    strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2, 5, 8], InvalidAccount: [3, 4, 6, 7] },
    fixedAccounts: 8,
  }));

  test('[P-47] [P-50] returns the surplus to the funder and the rent to its payer, and leaves only the package', async () => {
    for (const role of ['coordinator', 'funder'] as const) {
      const relay = await Relay.initialised();
      const delivery = await relay.carried(PAYMENTS);
      const accounts = [delivery.swarm, await relay.leg(delivery, 0), await relay.leg(delivery, 1)];
      let rent = 0n;
      for (const account of accounts) rent += await relay.lamports(account);
      const funder = await relay.lamports(delivery.funder.address);
      const coordinator = await relay.lamports(relay.coordinator.address);
      const shipper = await relay.lamports(delivery.shipper.address);

      const signer = role === 'coordinator' ? relay.coordinator : delivery.funder;
      must(await relay.ledger.send(await relay.settle(delivery, 2, signer)));

      expect(await relay.lamports(delivery.funder.address)).toBe(funder + SOL / 4n + 890_880n);
      expect(await relay.lamports(relay.coordinator.address)).toBe(coordinator + rent);
      expect(await relay.lamports(delivery.shipper.address)).toBe(shipper);
      for (const account of [delivery.vault, ...accounts]) expect(await relay.ledger.account(account)).toBeUndefined();
      expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.Delivered, paid: (3n * SOL) / 4n });
    }
  });

  test('[P-50] one account may be signer, funder and rent payer', async ({ relay }) => {
    const delivery = await relay.delivery(1, { funder: relay.coordinator });
    const before = await relay.lamports(relay.coordinator.address);
    must(await relay.ledger.send(relay.list(delivery, { shipperSigns: false })));
    await relay.inTransit([SOL], delivery);
    must(await relay.ledger.send(await relay.handoff(delivery, 0, 1)));
    must(await relay.ledger.send(await relay.settle(delivery, 1)));
    const reputation = await relay.reputationOf((await relay.courier(0)).address);
    const kept = (await relay.lamports(delivery.package)) + (await relay.lamports(reputation));
    expect(await relay.lamports(relay.coordinator.address)).toBe(before - SOL - kept);
  });

  test('[P-47] refuses shipper, couriers, authority and strangers', async ({ relay }) => {
    const delivery = await relay.carried(PAYMENTS);
    const others = [delivery.shipper, await relay.courier(0), relay.authority, await relay.person('stranger')];
    for (const signer of others) {
      expect((await relay.ledger.send(await relay.settle(delivery, 2, signer))).error).toBe('Unauthorized');
    }
  });

  test('[P-48] refuses while a leg is open', async ({ relay }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    expect((await relay.ledger.send(await relay.settle(delivery, 2))).error).toBe('LegsIncomplete');
    must(await relay.ledger.send(await relay.handoff(delivery, 0, 2)));
    expect((await relay.ledger.send(await relay.settle(delivery, 2))).error).toBe('LegsIncomplete');
    expect((await relay.ledger.send(await relay.settle(delivery, 1))).error).toBe('LegsIncomplete');
    must(await relay.ledger.send(await relay.handoff(delivery, 1, 2), await relay.settle(delivery, 2)));
  });

  test('[P-48] refuses a package that is listed or forming', async ({ relay }) => {
    const listed = await relay.listed();
    expect((await relay.ledger.send(await relay.settle(listed, 0))).error).toBe('InvalidStatus');
    await relay.forming(PAYMENTS, 1, listed);
    expect((await relay.ledger.send(await relay.settle(listed, 1))).error).toBe('InvalidStatus');
  });

  test('[P-49] takes exactly the assigned legs, in index order', async ({ relay }) => {
    const delivery = await relay.carried(PAYMENTS);
    const other = await relay.inTransit(PAYMENTS, await relay.listed(2));
    const settle = await relay.settle(delivery, 2);
    const [first, second] = [await relay.leg(delivery, 0), await relay.leg(delivery, 1)];
    const foreign = await relay.leg(other, 1);
    const attempts = [
      [truncated(settle, 8), 'InvalidLegCount'],
      [truncated(settle, 9), 'InvalidLegCount'],
      [{ ...settle, accounts: [...(settle.accounts ?? []), ...(settle.accounts ?? []).slice(9)] }, 'InvalidLegCount'],
      [await relay.settle(delivery, 12), 'InvalidLegCount'],
      [swapped(settle, 9, first), 'LegOutOfOrder'],
      [swapped(swapped(settle, 8, second), 9, first), 'LegOutOfOrder'],
      [swapped(settle, 9, foreign), 'InvalidAccount'],
      [readOnly(settle, 9), 'AccountNotWritable'],
    ] as const;
    for (const [place, [attempt, error]] of attempts.entries()) {
      expect([place, (await relay.ledger.send(attempt)).error]).toEqual([place, error]);
    }
    must(await relay.ledger.send(settle));
  });

  test('[P-7] refuses swarm, vault, funder and rent payer of another delivery', async ({ relay }) => {
    const delivery = await relay.carried(PAYMENTS);
    const other = await relay.delivery(2, { funder: await relay.person('other funder') });
    must(await relay.ledger.send(relay.list(other)));
    await relay.inTransit(PAYMENTS, other);
    for (const index of PAYMENTS.keys()) must(await relay.ledger.send(await relay.handoff(other, index, 2)));
    const settle = await relay.settle(delivery, 2);
    const foreign = [
      [3, other.vault],
      [4, other.funder.address],
      [5, other.swarm],
      [6, delivery.funder.address],
    ] as const;
    for (const [place, address] of foreign) {
      expect([place, (await relay.ledger.send(swapped(settle, place, address))).error]).toEqual([
        place,
        'InvalidAccount',
      ]);
    }
  });

  test('[P-7] refuses the whole swarm of another delivery, legs and all', async ({ relay }) => {
    const delivered = await relay.carried(PAYMENTS);
    const open = await relay.inTransit(PAYMENTS, await relay.listed(2));
    // With the other's completed swarm, this open package would look delivered.
    const mixed = await relay.settle({ ...open, swarm: delivered.swarm }, 2);
    expect((await relay.ledger.send(mixed)).error).toBe('InvalidAccount');
  });

  test.skipIf(CANNOT_FORGE)(
    '[P-50] rent that its payer cannot receive goes to the funder: the exit stays open',
    async ({ relay }) => {
      const delivery = await relay.carried(PAYMENTS);
      await relay.makeProgram(relay.coordinator.address);
      const rent = (await relay.lamports(delivery.swarm)) + 2n * (await relay.lamports(await relay.leg(delivery, 0)));
      const funder = await relay.lamports(delivery.funder.address);
      must(await relay.ledger.send(await relay.settle(delivery, 2, delivery.funder)));
      expect(await relay.lamports(delivery.funder.address)).toBe(funder + SOL / 4n + 890_880n + rent);
    },
  );

  test.skipIf(CANNOT_FORGE)('[P-43] refuses to refund an executable account', async ({ relay }) => {
    const delivery = await relay.carried(PAYMENTS);
    await relay.makeProgram(delivery.funder.address);
    expect((await relay.ledger.send(await relay.settle(delivery, 2))).error).toBe('PayeeCannotReceive');
  });

  test('[P-51] is the end: no second settle, no cancel, no reclaim, no new swarm', async ({ relay }) => {
    const delivery = await relay.carried(PAYMENTS);
    const settle = await relay.settle(delivery, 2);
    expect((await relay.ledger.send(settle, settle)).error).toBe('InvalidStatus');
    must(await relay.ledger.send(settle));
    await relay.ledger.airdrop(delivery.vault, SOL);
    await relay.ledger.airdrop(delivery.swarm, SOL);
    const attempts = [settle, relay.cancel(delivery), await relay.reclaim(delivery, 2), relay.form(delivery, 1, SOL)];
    for (const attempt of attempts) expect((await relay.ledger.send(attempt)).error).toBe('InvalidStatus');
  });

  test('[P-51] lamports sent to a closed account in the same transaction revive nothing', async ({ relay }) => {
    const delivery = await relay.carried(PAYMENTS);
    const leg = await relay.leg(delivery, 0);
    const revive = [delivery.swarm, leg, delivery.vault].map((destination) =>
      getTransferSolInstruction({ source: delivery.funder, destination, amount: SOL }),
    );
    must(await relay.ledger.send(await relay.settle(delivery, 2), ...revive));
    for (const address of [delivery.swarm, leg]) {
      const state = await relay.ledger.account(address);
      expect(state).toMatchObject({ owner: '11111111111111111111111111111111', data: new Uint8Array() });
    }
    expect((await relay.ledger.send(await relay.settle(delivery, 2))).error).toBe('InvalidStatus');
  });

  test.skipIf(CANNOT_SET_TIME)('[P-9] stays open while paused and after the deadline', async ({ relay }) => {
    const delivery = await relay.carried(PAYMENTS);
    await relay.pause();
    await relay.ledger.setClock(DEADLINE + 1n);
    must(await relay.ledger.send(await relay.settle(delivery, 2)));
    expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.Delivered });
  });
});
