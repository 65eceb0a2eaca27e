import { decodeLeg, LegStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { keyOf } from './harness/keys.js';
import { DEADLINE, must, NOW, SOL } from './harness/delivery.js';
import { test } from './harness/relayTest.js';
import { signedBy, swapped } from './harness/tamper.js';

const PAYMENTS = [SOL / 2n, SOL / 4n, SOL / 8n];
const LEGS = PAYMENTS.length;

describe('confirm_leg', () => {
  testGuards(async (relay) => {
    const delivery = await relay.inTransit(PAYMENTS);
    return {
      instruction: await relay.handoff(delivery, 0, LEGS),
      owned: { InvalidAccountOwner: [1, 2, 3, 6, 7] },
      writableWithTerms: [7],
      strangers: { UnauthorizedRecipient: [0], InvalidAccount: [1, 2, 4, 5, 8], InvalidAccountOwner: [3, 6, 7] },
      fixedAccounts: 9,
    };
  });

  test('[P-44] [P-45] completes the legs in order, each courier paid by the next one to sign, the last by the shipper', async ({
    relay,
  }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    for (const [index, payment] of PAYMENTS.entries()) {
      const { address } = await relay.courier(index);
      const [courier, vault] = [await relay.lamports(address), await relay.lamports(delivery.vault)];
      must(await relay.ledger.send(await relay.handoff(delivery, index, LEGS)));

      expect(await relay.lamports(address)).toBe(courier + payment);
      expect(await relay.lamports(delivery.vault)).toBe(vault - payment);
      expect(decodeLeg(await relay.encoded(await relay.leg(delivery, index))).data).toMatchObject({
        status: LegStatus.Completed,
      });
      const paid = PAYMENTS.slice(0, index + 1).reduce((sum, part) => sum + part);
      expect(await relay.swarm(delivery)).toMatchObject({ completedLegs: index + 1, paidLamports: paid });
      expect(await relay.package(delivery)).toMatchObject({ paid });
      expect(await relay.reputation(address)).toMatchObject({
        legsAccepted: 1n,
        legsCompleted: 1n,
        reliabilityScore: 100,
      });
    }
  });

  test.skipIf(CANNOT_SET_TIME)('[P-44] notes when a leg was completed', async ({ relay }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    for (const index of PAYMENTS.keys()) {
      const completedAt = NOW + BigInt(index);
      await relay.ledger.setClock(completedAt);
      must(await relay.ledger.send(await relay.handoff(delivery, index, LEGS)));
      expect(decodeLeg(await relay.encoded(await relay.leg(delivery, index))).data).toMatchObject({ completedAt });
    }
  });

  test('[P-45] the score is the floor of the percentage', async ({ relay }) => {
    for (const number of [1, 2, 3]) await relay.inTransit([SOL], await relay.listed(number));
    const { address } = await relay.courier(0);
    expect(await relay.reputation(address)).toMatchObject({ legsAccepted: 3n, reliabilityScore: 0 });
    for (const [number, score] of [33, 66, 100].entries()) {
      must(await relay.ledger.send(await relay.handoff(await relay.delivery(number + 1), 0, 1)));
      expect(await relay.reputation(address)).toMatchObject({ reliabilityScore: score });
    }
  });

  test('[P-37] refuses a swarm that is still forming', async ({ relay }) => {
    const delivery = await relay.forming(PAYMENTS, 2);
    expect((await relay.ledger.send(await relay.handoff(delivery, 0, LEGS))).error).toBe('InvalidStatus');
  });

  test('[P-38] refuses a confirmation of another formation', async ({ relay }) => {
    const delivery = await relay.inTransit([SOL]);
    const courier = (await relay.courier(0)).address;
    for (const formation of [0, 2, 65_535]) {
      const stale = await relay.confirm(delivery, { index: 0, courier, recipient: delivery.shipper, formation });
      expect((await relay.ledger.send(stale)).error).toBe('FormationMismatch');
    }
  });

  test('[P-39] refuses to skip, to reorder and to repeat', async ({ relay }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    for (const index of [1, 2]) {
      expect((await relay.ledger.send(await relay.handoff(delivery, index, LEGS))).error).toBe('LegOutOfOrder');
    }
    const first = await relay.handoff(delivery, 0, LEGS);
    must(await relay.ledger.send(first));
    expect((await relay.ledger.send(first)).error).toBe('LegOutOfOrder');
    expect((await relay.ledger.send(await relay.handoff(delivery, 2, LEGS))).error).toBe('LegOutOfOrder');
    const second = await relay.handoff(delivery, 1, LEGS);
    const balance = await relay.lamports((await relay.courier(1)).address);
    expect((await relay.ledger.send(second, second)).error).toBe('LegOutOfOrder');
    expect(await relay.lamports((await relay.courier(1)).address)).toBe(balance);
  });

  test('[P-40] the final leg takes no next leg', async ({ relay }) => {
    const delivery = await relay.inTransit([SOL / 2n, SOL / 2n]);
    must(await relay.ledger.send(await relay.handoff(delivery, 0, 2)));
    const courier = (await relay.courier(1)).address;
    for (const next of [0, 1, 2]) {
      const confirm = await relay.confirm(delivery, { index: 1, courier, recipient: delivery.shipper, next });
      expect((await relay.ledger.send(confirm)).error).toBe('UnexpectedNextLeg');
    }
  });

  test('[P-40] only the shipper receives the final leg', async ({ relay }) => {
    const delivery = await relay.inTransit([SOL]);
    const courier = await relay.courier(0);
    const others = [courier, delivery.funder, relay.coordinator, relay.authority, await relay.courier(1)];
    for (const recipient of others) {
      const confirm = await relay.confirm(delivery, { index: 0, courier: courier.address, recipient });
      expect((await relay.ledger.send(confirm)).error).toBe('UnauthorizedRecipient');
    }
  });

  test('[P-41] an intermediate leg needs the next leg, and exactly that one', async ({ relay }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    const other = await relay.inTransit(PAYMENTS, await relay.listed(2));
    const courier = (await relay.courier(0)).address;
    const recipient = await relay.courier(1);
    const missing = await relay.confirm(delivery, { index: 0, courier, recipient });
    expect((await relay.ledger.send(missing)).error).toBe('MissingNextLeg');
    for (const next of [0, 2]) {
      const wrong = await relay.confirm(delivery, { index: 0, courier, recipient, next });
      expect((await relay.ledger.send(wrong)).error).toBe('InvalidAccount');
    }
    const foreign = swapped(await relay.handoff(delivery, 0, LEGS), 7, await relay.leg(other, 1));
    expect((await relay.ledger.send(foreign)).error).toBe('InvalidAccount');
  });

  test('[P-41] only the next courier receives an intermediate leg', async ({ relay }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    const confirm = await relay.handoff(delivery, 0, LEGS);
    const others = [
      delivery.shipper,
      delivery.funder,
      relay.coordinator,
      await relay.courier(0),
      await relay.courier(2),
    ];
    for (const recipient of others) {
      expect((await relay.ledger.send(signedBy(confirm, 0, recipient))).error).toBe('UnauthorizedRecipient');
    }
  });

  test('[P-7] refuses package, swarm, leg, vault, courier and reputation of another delivery', async ({ relay }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    const other = await relay.inTransit(PAYMENTS, await relay.listed(2));
    const confirm = await relay.handoff(delivery, 0, LEGS);
    const courier = (await relay.courier(2)).address;
    const foreign = [
      [1, other.package],
      [2, other.swarm],
      [3, await relay.leg(other, 0)],
      [4, other.vault],
      [5, courier],
      [6, await relay.reputationOf(courier)],
    ] as const;
    for (const [place, address] of foreign) {
      const outcome = await relay.ledger.send(swapped(confirm, place, address));
      expect([place, outcome.error]).toEqual([place, 'InvalidAccount']);
    }
    must(await relay.ledger.send(confirm));
  });

  test("[P-7] refuses a signer's own wallet as the vault", async ({ relay }) => {
    const delivery = await relay.inTransit([SOL]);
    const confirm = await relay.handoff(delivery, 0, 1);
    expect((await relay.ledger.send(swapped(confirm, 4, delivery.shipper.address))).error).toBe('InvalidAccount');
  });

  test.skipIf(CANNOT_FORGE)(
    '[P-42] refuses a vault that cannot cover the payment on top of its rent minimum',
    async ({ relay }) => {
      const delivery = await relay.inTransit([SOL]);
      const state = await relay.state(delivery.vault);
      const confirm = await relay.handoff(delivery, 0, 1);
      for (const lamports of [SOL + 890_879n, SOL, 890_880n, 1n]) {
        await relay.ledger.forge(delivery.vault, { ...state, lamports });
        expect((await relay.ledger.send(confirm)).error).toBe('InsufficientVault');
      }
      await relay.ledger.forge(delivery.vault, { ...state, lamports: SOL + 890_880n });
      must(await relay.ledger.send(confirm));
      expect(await relay.lamports(delivery.vault)).toBe(890_880n);
    },
  );

  test('[P-43] refuses a courier who would stay below the rent minimum, and changes nothing', async ({ relay }) => {
    const poor = await keyOf('courier who stays penniless');
    const payment = 890_879n;
    const delivery = await relay.forming([payment]);
    must(await relay.ledger.send(await relay.assign(delivery, 0, poor.address, payment)));
    const confirm = await relay.confirm(delivery, { index: 0, courier: poor.address, recipient: delivery.shipper });
    const before = [await relay.swarm(delivery), await relay.lamports(delivery.vault)];
    expect((await relay.ledger.send(confirm)).error).toBe('PayeeCannotReceive');
    expect([await relay.swarm(delivery), await relay.lamports(delivery.vault)]).toEqual(before);
    await relay.ledger.airdrop(poor.address, 890_880n);
    must(await relay.ledger.send(confirm));
  });

  test.skipIf(CANNOT_FORGE)('[P-43] refuses a courier who has become a program', async ({ relay }) => {
    const delivery = await relay.inTransit([SOL]);
    const { address } = await relay.courier(0);
    await relay.makeProgram(address);
    expect((await relay.ledger.send(await relay.handoff(delivery, 0, 1))).error).toBe('PayeeCannotReceive');
  });

  test.skipIf(CANNOT_SET_TIME)('[P-46] a late delivery may be confirmed, also while paused', async ({ relay }) => {
    const delivery = await relay.inTransit([SOL]);
    await relay.pause();
    await relay.ledger.setClock(DEADLINE + 1n);
    must(await relay.ledger.send(await relay.handoff(delivery, 0, 1)));
    expect(await relay.swarm(delivery)).toMatchObject({ completedLegs: 1 });
  });

  test('[P-51] refuses after settle', async ({ relay }) => {
    const delivery = await relay.carried([SOL]);
    const confirm = await relay.handoff(delivery, 0, 1);
    must(await relay.ledger.send(await relay.settle(delivery, 1)));
    expect((await relay.ledger.send(confirm)).error).toBe('InvalidAccountOwner');
  });

  test.skipIf(CANNOT_SET_TIME)('[P-51] refuses after reclaim', async ({ relay }) => {
    const reclaimed = await relay.inTransit([SOL]);
    await relay.ledger.setClock(DEADLINE);
    must(await relay.ledger.send(await relay.reclaim(reclaimed, 1)));
    expect((await relay.ledger.send(await relay.handoff(reclaimed, 0, 1))).error).toBe('InvalidAccountOwner');
  });

  test.skipIf(CANNOT_FORGE)('[P-11] refuses sums that cannot count further', async ({ relay }) => {
    const delivery = await relay.inTransit([SOL]);
    const confirm = await relay.handoff(delivery, 0, 1);
    const paidInSwarm = 3 + 1 + 2 + 3 + 64 + 16;
    const paidInPackage = 95;
    const reputation = await relay.reputationOf((await relay.courier(0)).address);
    const counters = [
      [delivery.swarm, paidInSwarm],
      [delivery.package, paidInPackage],
      [reputation, 44],
    ] as const;
    for (const [address, offset] of counters) {
      const state = await relay.state(address);
      await relay.change(address, (data) => data.slice().fill(255, offset, offset + 8));
      expect((await relay.ledger.send(confirm)).error).toBe('ArithmeticOverflow');
      await relay.ledger.forge(address, state);
    }
    must(await relay.ledger.send(confirm));
  });
});
