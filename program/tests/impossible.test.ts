import { getTransferSolInstruction } from '@solana-program/system';
import type { Address } from '@solana/kit';
import { describe, expect } from 'vitest';
import { acceptedDoubles } from './harness/aliases.js';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, SOL, type Delivery } from './harness/delivery.js';
import { test } from './harness/relayTest.js';
import { swapped } from './harness/tamper.js';

const PAYMENTS = [SOL / 2n, SOL / 4n];

describe('one account in two mutable roles', () => {
  test('[P-7] is refused for every pair of places of every instruction, from listing to closing', async ({ relay }) => {
    const delivery = await relay.delivery();
    const [first, second] = [(await relay.courier(0)).address, (await relay.courier(1)).address];
    const instructions = [
      () => relay.list(delivery),
      () => relay.form(delivery, 2, SOL),
      () => relay.openReputation(first),
      () => relay.assign(delivery, 0, first, SOL / 2n),
      () => relay.assign(delivery, 1, second, SOL / 2n),
      () => relay.handoff(delivery, 0, 2),
      () => relay.handoff(delivery, 1, 2),
      () => relay.settle(delivery, 2),
      () => relay.close(delivery),
    ];
    for (const instruction of instructions) expect(await acceptedDoubles(relay, await instruction())).toEqual([]);
    expect(await acceptedDoubles(relay, relay.cancel(await relay.listed(2)))).toEqual([]);
  });

  test.skipIf(CANNOT_SET_TIME)('[P-7] is refused by reclaim_package', async ({ relay }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    await relay.ledger.setClock(DEADLINE);
    expect(await acceptedDoubles(relay, await relay.reclaim(delivery, 2))).toEqual([]);
  });
});

describe('revival inside one transaction', () => {
  /** Lamports, sent by the funder, that would keep the accounts alive. */
  const gifts = (delivery: Delivery, accounts: readonly Address[]) =>
    accounts.map((destination) => getTransferSolInstruction({ source: delivery.funder, destination, amount: SOL }));

  test('[P-51] a settled swarm that gets lamports again confirms and settles nothing', async ({ relay }) => {
    const delivery = await relay.carried(PAYMENTS);
    const settle = await relay.settle(delivery, 2);
    const revive = gifts(delivery, [delivery.swarm, await relay.leg(delivery, 0), delivery.vault]);
    const again = await relay.handoff(delivery, 0, 2);
    expect((await relay.ledger.send(settle, ...revive, settle)).error).toBe('InvalidStatus');
    expect((await relay.ledger.send(settle, ...revive, again)).error).toBe('InvalidAccountOwner');
    expect((await relay.ledger.send(settle, ...revive, relay.form(delivery, 1, SOL))).error).toBe('InvalidStatus');
    must(await relay.ledger.send(settle, ...revive));
    expect((await relay.ledger.send(again)).error).toBe('InvalidAccountOwner');
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[P-51] a reclaimed swarm that gets lamports again confirms nothing',
    async ({ relay }) => {
      const delivery = await relay.inTransit(PAYMENTS);
      await relay.ledger.setClock(DEADLINE);
      const reclaim = await relay.reclaim(delivery, 2);
      const revive = gifts(delivery, [delivery.swarm, await relay.leg(delivery, 0), delivery.vault]);
      const confirm = await relay.handoff(delivery, 0, 2);
      expect((await relay.ledger.send(reclaim, ...revive, confirm)).error).toBe('InvalidAccountOwner');
      must(await relay.ledger.send(reclaim, ...revive));
      expect((await relay.ledger.send(confirm)).error).toBe('InvalidAccountOwner');
    },
  );

  test('[P-67] a closed package that gets its rent back stays empty, and cannot be listed anew', async ({ relay }) => {
    const delivery = await relay.listed();
    must(await relay.ledger.send(relay.cancel(delivery)));
    const close = relay.close(delivery);
    const revive = gifts(delivery, [delivery.package, delivery.vault]);
    expect((await relay.ledger.send(close, ...revive, relay.list(delivery))).error).toBe('AlreadyInitialized');
    expect((await relay.ledger.send(close, ...revive, relay.cancel(delivery))).error).toBe('InvalidAccountKind');
    must(await relay.ledger.send(close, ...revive));
    expect((await relay.state(delivery.package)).data).toHaveLength(0);
    expect((await relay.ledger.send(close)).error).toBe('InvalidAccountKind');
  });
});

describe('confirmations that come too late', () => {
  test('[P-51] nothing can be confirmed after cancel, and nothing with the swarm of another package', async ({
    relay,
  }) => {
    const open = await relay.inTransit(PAYMENTS);
    const cancelled = await relay.listed(2);
    must(await relay.ledger.send(relay.cancel(cancelled)));
    const confirm = await relay.handoff(cancelled, 0, 2);
    expect((await relay.ledger.send(confirm)).error).toBe('InvalidAccountOwner');
    const borrowed = swapped(swapped(confirm, 2, open.swarm), 3, await relay.leg(open, 0));
    expect((await relay.ledger.send(borrowed)).error).toBe('InvalidAccount');
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[P-38] [P-67] one that was signed for a package before it was closed never pays again',
    async ({ relay }) => {
      const delivery = await relay.inTransit(PAYMENTS);
      const signedEarly = await relay.handoff(delivery, 0, 2);
      await relay.ledger.setClock(DEADLINE);
      must(await relay.ledger.send(await relay.reclaim(delivery, 2)));
      must(await relay.ledger.send(relay.close(delivery)));
      const again = relay.list(delivery, { deadline: DEADLINE + 86_400n });
      expect((await relay.ledger.send(again)).error).toBe('AlreadyInitialized');
      expect((await relay.ledger.send(signedEarly)).error).toBe('InvalidAccountOwner');
    },
  );

  test.skipIf(CANNOT_FORGE)(
    '[P-38] one that was signed for the first formation does not pay the second',
    async ({ relay }) => {
      const delivery = await relay.listed();
      // The package as it is after a formation that failed.
      await relay.change(delivery.package, (data) => data.with(5, 1));
      await relay.inTransit(PAYMENTS, delivery);
      expect(await relay.swarm(delivery)).toMatchObject({ formation: 2 });
      const signedEarly = await relay.handoff(delivery, 0, 2);
      expect((await relay.ledger.send(signedEarly)).error).toBe('FormationMismatch');
    },
  );
});

test('[P-9] a paused program takes the exits and the authority, and nothing else', async ({ relay }) => {
  const listed = await relay.listed(1);
  const forming = await relay.forming(PAYMENTS, 0, await relay.listed(2));
  const underWay = await relay.inTransit(PAYMENTS, await relay.listed(3));
  const sponsored = await relay.delivery(4, { funder: relay.coordinator });
  await relay.pause();
  const starts = [
    relay.list(await relay.delivery(5)),
    relay.list(sponsored, { shipperSigns: false }),
    relay.form(listed, 1, SOL),
    await relay.assign(forming, 0, (await relay.courier(0)).address, SOL / 2n),
  ];
  for (const start of starts) expect((await relay.ledger.send(start)).error).toBe('Paused');
  must(await relay.ledger.send(relay.cancel(listed)));
  for (const index of PAYMENTS.keys()) must(await relay.ledger.send(await relay.handoff(underWay, index, 2)));
  must(await relay.ledger.send(await relay.settle(underWay, 2, underWay.funder)));
  must(await relay.ledger.send(relay.close(underWay)));
  must(await relay.ledger.send(relay.setCoordinator((await relay.person('new coordinator')).address)));
});

describe("somebody else's refund", () => {
  test('[P-32] nothing of the budget becomes rent of the coordinator by way of a leg still to come', async ({
    relay,
  }) => {
    const delivery = await relay.listed();
    const [future, accomplice] = [await relay.leg(delivery, 1), await relay.courier(1)];
    const before = await relay.lamports(relay.coordinator.address);
    const fee = 1_000_000n;
    const outcome = await relay.ledger.send(
      relay.form(delivery, 2, SOL),
      await relay.assign(delivery, 0, future, SOL - fee),
      await relay.assign(delivery, 1, accomplice.address, fee),
      await relay.confirm(delivery, { index: 0, courier: future, recipient: accomplice, next: 1 }),
      await relay.handoff(delivery, 1, 2),
      await relay.settle(delivery, 2),
    );
    expect((await relay.lamports(relay.coordinator.address)) - before).toBe(0n);
    expect(outcome.error).toBe('InvalidCourier');
  });

  test('[P-7] goes to nobody but the funder, whoever asks for it', async ({ relay }) => {
    const listed = await relay.listed(1);
    const carried = await relay.carried(PAYMENTS, await relay.listed(2));
    const over = await relay.listed(3);
    must(await relay.ledger.send(relay.cancel(over)));
    const thieves = [relay.coordinator, listed.shipper, await relay.courier(0)].map(({ address }) => address);
    for (const thief of thieves) {
      const attempts = [
        swapped(relay.cancel(listed, relay.coordinator), 4, thief),
        swapped(await relay.settle(carried, 2), 4, thief),
        swapped(relay.close(over, relay.coordinator), 3, thief),
      ];
      for (const attempt of attempts) expect((await relay.ledger.send(attempt)).error).toBe('InvalidAccount');
    }
  });

  test.skipIf(CANNOT_FORGE)(
    '[P-43] a reclaim to a funder who has become a program takes the whole transaction down',
    async ({ relay }) => {
      const delivery = await relay.inTransit(PAYMENTS);
      await relay.makeProgram(delivery.funder.address);
      await relay.ledger.setClock(DEADLINE);
      const reclaim = await relay.reclaim(delivery, 2, delivery.shipper);
      expect((await relay.ledger.send(reclaim)).error).toBe('PayeeCannotReceive');
      expect(await relay.lamports(delivery.vault)).toBe(SOL + 890_880n);
    },
  );
});
