import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped } from './harness/tamper.js';

const RENT_OF_PACKAGE = 2_164_560n;
const RENT_OF_EMPTY = 890_880n;

async function cancelled(relay: Relay, number = 1) {
  const delivery = await relay.listed(number);
  must(await relay.ledger.send(relay.cancel(delivery)));
  return delivery;
}

describe('close_package', () => {
  testGuards(async (relay) => ({
    instruction: relay.close(await cancelled(relay)),
    owned: { InvalidAccountOwner: [1, 2] },
    strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2], InvalidAccount: [3] },
    fixedAccounts: 4,
  }));

  test('[P-65] [P-67] funder and coordinator may close; the rent of the data returns to the funder', async () => {
    for (const role of ['funder', 'coordinator'] as const) {
      const relay = await Relay.initialised();
      const delivery = await cancelled(relay);
      await relay.ledger.airdrop(delivery.package, 7n);
      const funder = await relay.lamports(delivery.funder.address);
      const coordinator = await relay.lamports(relay.coordinator.address);

      const signer = role === 'coordinator' ? relay.coordinator : delivery.funder;
      must(await relay.ledger.send(relay.close(delivery, signer)));

      expect(await relay.lamports(delivery.funder.address)).toBe(funder + RENT_OF_PACKAGE - RENT_OF_EMPTY + 7n);
      expect(await relay.lamports(relay.coordinator.address)).toBe(coordinator);
      expect(await relay.ledger.account(delivery.package)).toMatchObject({
        data: new Uint8Array(),
        lamports: RENT_OF_EMPTY,
        owner: relay.programAddress,
      });
    }
  });

  test('[P-65] refuses shipper, authority, couriers and strangers', async ({ relay }) => {
    const delivery = await cancelled(relay);
    const others = [delivery.shipper, relay.authority, await relay.courier(0), await relay.person('stranger')];
    for (const signer of others) {
      expect((await relay.ledger.send(relay.close(delivery, signer))).error).toBe('Unauthorized');
    }
  });

  test('[P-66] refuses a package that is listed, forming or in transit', async ({ relay }) => {
    const open = [
      await relay.listed(1),
      await relay.forming([SOL], 0, await relay.listed(2)),
      await relay.inTransit([SOL], await relay.listed(3)),
    ];
    for (const delivery of open) {
      expect((await relay.ledger.send(relay.close(delivery))).error).toBe('InvalidStatus');
    }
  });

  test('[P-66] takes one that is delivered, also while paused', async ({ relay }) => {
    const delivery = await relay.carried([SOL / 2n]);
    must(await relay.ledger.send(await relay.settle(delivery, 1)));
    await relay.pause();
    must(await relay.ledger.send(relay.close(delivery)));
    expect(await relay.lamports(delivery.package)).toBe(RENT_OF_EMPTY);
  });

  test.skipIf(CANNOT_SET_TIME)('[P-66] takes one that was reclaimed', async ({ relay }) => {
    const delivery = await relay.inTransit([SOL]);
    await relay.ledger.setClock(DEADLINE);
    must(await relay.ledger.send(await relay.reclaim(delivery, 1)));
    must(await relay.ledger.send(relay.close(delivery)));
    expect(await relay.lamports(delivery.package)).toBe(RENT_OF_EMPTY);
  });

  test('[P-6] [P-67] the id stays used: neither a new listing nor lamports bring the package back', async ({
    relay,
  }) => {
    const delivery = await cancelled(relay);
    must(await relay.ledger.send(relay.close(delivery)));
    await relay.ledger.airdrop(delivery.package, SOL);
    expect((await relay.ledger.send(relay.list(delivery))).error).toBe('AlreadyInitialized');
    for (const attempt of [relay.close(delivery), relay.cancel(delivery), relay.form(delivery, 1, SOL)]) {
      expect((await relay.ledger.send(attempt)).error).toBe('InvalidAccountKind');
    }
  });

  test('[P-7] refuses the funder of another package', async ({ relay }) => {
    const delivery = await cancelled(relay, 1);
    const thief = await relay.person('other funder');
    const other = await relay.delivery(2, { funder: thief });
    must(await relay.ledger.send(relay.list(other)));
    must(await relay.ledger.send(relay.cancel(other)));
    const close = relay.close(delivery, relay.coordinator);
    expect((await relay.ledger.send(swapped(close, 3, thief.address))).error).toBe('InvalidAccount');
    expect((await relay.ledger.send(swapped(relay.close(other), 2, delivery.package))).error).toBe('Unauthorized');
  });

  test.skipIf(CANNOT_FORGE)('[P-43] refuses to refund an executable account', async ({ relay }) => {
    const delivery = await cancelled(relay);
    await relay.makeProgram(delivery.funder.address);
    const outcome = await relay.ledger.send(relay.close(delivery, relay.coordinator));
    expect(outcome.error).toBe('PayeeCannotReceive');
  });
});
