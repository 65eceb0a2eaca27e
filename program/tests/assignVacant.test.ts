import { LegStatus } from '@legwork/program-client';
import type { Address } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, NOW, SOL, type Delivery } from './harness/delivery.js';
import { testGuards } from './harness/guards.js';
import { keyOf } from './harness/keys.js';
import { PAYMENTS } from './harness/moves.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped, truncated } from './harness/tamper.js';
import { CARRY, HANDOFF, NOBODY, REVIEW, STAKE } from './harness/terms.js';

const TOTAL = PAYMENTS.reduce((sum, payment) => sum + payment, 0n);
const [FIFTH] = PAYMENTS as [bigint];

/** The leg of this index is vacant, by its courier of today, while its parcel is with nobody. */
async function vacated(relay: Relay, index: number, delivery?: Delivery): Promise<Delivery> {
  const vacant = delivery ?? (await relay.moves.pending());
  must(await relay.ledger.send(await relay.moves.vacate(vacant, { index })));
  return vacant;
}

/** Another courier gets the leg: the one with this number. */
async function replaced(relay: Relay, delivery: Delivery, index: number, courier: number): Promise<void> {
  const { address } = await relay.courier(courier);
  must(await relay.ledger.send(await relay.moves.replace(delivery, index, address)));
}

describe('assign_leg on a vacant leg', () => {
  testGuards(async (relay) => {
    const known = (await relay.courier(3)).address;
    must(await relay.ledger.send(await relay.openReputation(known)));
    const delivery = await vacated(relay, 1);
    return {
      instruction: await relay.moves.replace(delivery, 1, known),
      tailBytes: 1,
      owned: { InvalidAccountOwner: [1, 2, 3, 5, 8, 9], AlreadyInitialized: [7] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 3, 5, 8, 9], InvalidAccount: [2, 4, 6, 7] },
      fixedAccounts: 10,
    };
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-26] [T-30] the leg is pending again, with its new courier, payment and number',
    async () => {
      for (const index of PAYMENTS.keys()) {
        const relay = await Relay.initialised();
        const delivery = await vacated(relay, index);
        const courier = (await relay.person('newcomer')).address;
        await relay.ledger.setClock(NOW + 50n);

        const replace = await relay.moves.replace(delivery, index, courier, { paymentLamports: FIFTH - 7n });
        must(await relay.ledger.send(replace));

        expect(await relay.moves.leg(delivery, index)).toMatchObject({
          status: LegStatus.Pending,
          index,
          courier,
          paymentLamports: FIFTH - 7n,
          turn: { since: NOW + 50n, formation: 2, note: 3, percent: 0 },
        });
        const rest = { totalLamports: TOTAL, assignedLamports: TOTAL - 7n, formation: 2, assignedLegs: 3 };
        expect(await relay.swarm(delivery)).toMatchObject(rest);
        expect(await relay.package(delivery)).toMatchObject({ formation: 2 });
        expect(await relay.reputation(courier)).toMatchObject({ legsAccepted: 0n, legsCompleted: 0n });
        for (const other of [0, 1, 2].filter((place) => place !== index)) {
          expect(await relay.moves.leg(delivery, other)).toMatchObject({ turn: { since: NOW, formation: 1 } });
        }
      }
    },
  );

  test('[T-26] refuses a leg that is not vacant, and every leg without terms', async ({ relay }) => {
    const courier = (await relay.courier(3)).address;
    const { moves } = relay;
    await relay.person('arbiter');
    const ruled = await moves.disputed(await moves.pending(await moves.listed(5)));
    must(await relay.ledger.send(await moves.rule(ruled, { percent: 1 })));
    const occupied = [
      await moves.pending(),
      await moves.accepted([0], await moves.pending(await moves.listed(2))),
      await moves.carried(await moves.pending(await moves.listed(3))),
      await moves.claimed(await moves.pending(await moves.listed(4))),
      ruled,
      await relay.inTransit(PAYMENTS, await relay.listed(6)),
    ];
    for (const delivery of occupied) {
      const replace = await moves.replace(delivery, 0, courier);
      expect((await relay.ledger.send(replace)).error).toBe('InvalidStatus');
    }
  });

  test.skipIf(CANNOT_SET_TIME)('[T-26] is refused from the deadline on', async ({ relay }) => {
    const delivery = await vacated(relay, 0);
    const replace = await relay.moves.replace(delivery, 0, (await relay.courier(3)).address);
    await relay.ledger.setClock(DEADLINE);
    expect((await relay.ledger.send(replace)).error).toBe('DeadlinePassed');
    await relay.ledger.setClock(DEADLINE - 1n);
    must(await relay.ledger.send(replace));
  });

  test('[T-26] [P-9] is refused while paused', async ({ relay }) => {
    const delivery = await vacated(relay, 0);
    await relay.pause();
    const replace = await relay.moves.replace(delivery, 0, (await relay.courier(3)).address);
    expect((await relay.ledger.send(replace)).error).toBe('Paused');
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-26] a replacement does not restart the claim of the leg before',
    async ({ relay }) => {
      const delivery = await vacated(relay, 1, await relay.moves.claimed());
      await relay.ledger.setClock(NOW + REVIEW - 1n);
      await replaced(relay, delivery, 1, 3);
      const crank = await relay.moves.crank(delivery);
      expect((await relay.ledger.send(crank)).error).toBe('ReviewOpen');
      await relay.ledger.setClock(NOW + REVIEW);
      must(await relay.ledger.send(crank));
    },
  );

  test('[T-27] pays at most what the former courier left of the total', async ({ relay }) => {
    const courier = (await relay.courier(3)).address;
    const delivery = await vacated(relay, 0);
    const pay = (paymentLamports: bigint) => relay.moves.replace(delivery, 0, courier, { paymentLamports });
    expect((await relay.ledger.send(await pay(0n))).error).toBe('InvalidAmount');
    for (const payment of [FIFTH + 1n, SOL, 2n ** 64n - 1n]) {
      expect((await relay.ledger.send(await pay(payment))).error).toBe('BudgetExceeded');
    }
    must(await relay.ledger.send(await pay(FIFTH - 10n)));
    // A later replacement may spend the savings of an earlier one.
    await vacated(relay, 1, delivery);
    const dearer = (payment: bigint) =>
      relay.moves.replace(delivery, 1, relay.authority.address, { paymentLamports: payment });
    expect((await relay.ledger.send(await dearer(FIFTH + 11n))).error).toBe('BudgetExceeded');
    must(await relay.ledger.send(await dearer(FIFTH + 10n)));
    expect(await relay.swarm(delivery)).toMatchObject({ totalLamports: TOTAL, assignedLamports: TOTAL });
  });

  test.skipIf(CANNOT_SET_TIME)('[T-27] forfeited stakes pay replacements too, to the lamport', async ({ relay }) => {
    const delivery = await relay.moves.accepted();
    await relay.ledger.setClock(NOW + CARRY);
    const stranger = await relay.person('stranger');
    must(await relay.ledger.send(await relay.moves.vacate(delivery, { signer: stranger })));
    const courier = (await relay.courier(3)).address;
    const pay = (paymentLamports: bigint) => relay.moves.replace(delivery, 0, courier, { paymentLamports });
    expect((await relay.ledger.send(await pay(FIFTH + STAKE + 1n))).error).toBe('BudgetExceeded');
    must(await relay.ledger.send(await pay(FIFTH + STAKE)));
    const all = TOTAL + STAKE;
    expect(await relay.swarm(delivery)).toMatchObject({ totalLamports: all, assignedLamports: all });
    expect(await relay.lamports(delivery.vault)).toBe(SOL + 890_880n + STAKE);
  });

  test('[T-28] refuses the courier of a leg beside it, and takes one who has left that', async ({ relay }) => {
    const delivery = await vacated(relay, 1);
    for (const neighbour of [0, 2]) {
      const { address } = await relay.courier(neighbour);
      const replace = await relay.moves.replace(delivery, 1, address);
      expect((await relay.ledger.send(replace)).error).toBe('DuplicateCourier');
    }
    await vacated(relay, 0, delivery);
    must(await relay.ledger.send(await relay.moves.replace(delivery, 1, (await relay.courier(0)).address)));
    const back = await relay.moves.replace(delivery, 0, (await relay.courier(0)).address);
    expect((await relay.ledger.send(back)).error).toBe('DuplicateCourier');
  });

  test('[T-28] [T-100] the same courier may get its own leg again, or one further away, and what it left counts nothing', async ({
    relay,
  }) => {
    const delivery = await vacated(relay, 0);
    must(await relay.ledger.send(await relay.moves.replace(delivery, 0, (await relay.courier(0)).address)));
    await vacated(relay, 2, delivery);
    must(await relay.ledger.send(await relay.moves.replace(delivery, 2, (await relay.courier(0)).address)));
    const { address } = await relay.courier(0);
    expect(await relay.reputation(address)).toMatchObject({ legsAccepted: 0n });
  });

  test('[T-28] takes exactly the legs beside it', async ({ relay }) => {
    const delivery = await vacated(relay, 0);
    await vacated(relay, 1, delivery);
    await vacated(relay, 2, delivery);
    const other = await relay.moves.pending(await relay.moves.listed(2));
    const courier = (await relay.courier(3)).address;
    const none = relay.programAddress;
    const wrong: readonly (readonly [number, number, Address])[] = [
      [0, 8, await relay.leg(delivery, 0)],
      [0, 8, await relay.leg(delivery, 1)],
      [0, 9, await relay.leg(delivery, 0)],
      [0, 9, await relay.leg(delivery, 2)],
      [0, 9, await relay.leg(other, 1)],
      [1, 8, await relay.leg(delivery, 2)],
      [1, 8, await relay.leg(other, 0)],
      [1, 9, await relay.leg(delivery, 0)],
      [2, 9, await relay.leg(delivery, 1)],
    ];
    for (const [index, place, address] of wrong) {
      const replace = swapped(await relay.moves.replace(delivery, index, courier), place, address);
      expect([index, place, (await relay.ledger.send(replace)).error]).toEqual([index, place, 'InvalidAccount']);
    }
    for (const [index, place] of [
      [0, 9],
      [1, 8],
      [1, 9],
      [2, 8],
    ] as const) {
      const replace = swapped(await relay.moves.replace(delivery, index, courier), place, none);
      expect((await relay.ledger.send(replace)).error).toBe('InvalidAccountOwner');
    }
    const short = truncated(await relay.moves.replace(delivery, 0, courier), 9);
    expect((await relay.ledger.send(short)).error).toBe('NotEnoughAccounts');
    const legOfOther = swapped(await relay.moves.replace(delivery, 0, courier), 5, await relay.leg(other, 0));
    expect((await relay.ledger.send(legOfOther)).error).toBe('InvalidAccount');
    const legOfOtherIndex = swapped(await relay.moves.replace(delivery, 0, courier), 5, await relay.leg(delivery, 1));
    expect((await relay.ledger.send(legOfOtherIndex)).error).toBe('InvalidAccount');
  });

  test('[T-29] [P-34] [P-32] refuses everybody who has another part, and what is no wallet', async ({ relay }) => {
    const delivery = await vacated(relay, 1);
    const forming = await relay.forming(PAYMENTS, 0, await relay.moves.listed(2));
    const [arbiter, receiver] = [(await keyOf('arbiter')).address, (await keyOf('receiver')).address];
    for (const address of [arbiter, receiver, delivery.shipper.address, relay.coordinator.address]) {
      const replace = await relay.moves.replace(delivery, 1, address);
      expect((await relay.ledger.send(replace)).error).toBe('SelfDealing');
      const assign = await relay.assign(forming, 0, address, FIFTH);
      expect((await relay.ledger.send(assign)).error).toBe('SelfDealing');
    }
    for (const address of [delivery.vault, relay.programAddress, delivery.swarm]) {
      const replace = await relay.moves.replace(delivery, 1, address);
      expect((await relay.ledger.send(replace)).error).toBe('InvalidCourier');
    }
  });

  test('[T-29] the same keys may carry where there are no terms', async ({ relay }) => {
    const delivery = await relay.forming([SOL]);
    must(await relay.ledger.send(await relay.assign(delivery, 0, (await keyOf('arbiter')).address, SOL)));
    expect(await relay.swarm(delivery)).toMatchObject({ assignedLegs: 1 });
  });

  test('[T-29] terms without a receiver bar nobody by it', async ({ relay }) => {
    const delivery = await vacated(
      relay,
      1,
      await relay.moves.pending(await relay.moves.listed(1, { receiver: NOBODY })),
    );
    await replaced(relay, delivery, 1, 3);
    expect((await relay.moves.leg(delivery, 1)).courier).toBe((await relay.courier(3)).address);
  });

  test.skipIf(CANNOT_FORGE)('[T-30] a number that cannot count further replaces nobody', async ({ relay }) => {
    const delivery = await vacated(relay, 1);
    await relay.change(delivery.package, (data) => data.slice().fill(255, 5, 7));
    const replace = await relay.moves.replace(delivery, 1, (await relay.courier(3)).address);
    expect((await relay.ledger.send(replace)).error).toBe('ArithmeticOverflow');
  });

  test.skipIf(CANNOT_SET_TIME)('[T-26] vacating and assigning fit one transaction', async ({ relay }) => {
    const delivery = await relay.moves.pending();
    await relay.ledger.setClock(NOW + HANDOFF);
    const vacate = await relay.moves.vacate(delivery, { index: 1, signer: relay.coordinator });
    const replace = await relay.moves.replace(delivery, 1, (await relay.courier(3)).address);
    expect((await relay.ledger.sendPaidBy(relay.coordinator, vacate, replace)).error).toBeUndefined();
  });
});
