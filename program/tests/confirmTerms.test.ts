import { LegStatus } from '@legwork/program-client';
import type { Instruction, KeyPairSigner } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, NOW, SOL } from './harness/delivery.js';
import { gains } from './harness/gains.js';
import { testGuards } from './harness/guards.js';
import { keyOf } from './harness/keys.js';
import { PAYMENTS } from './harness/moves.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { staged } from './harness/stages.js';
import { readOnly, signedBy, swapped } from './harness/tamper.js';
import { NOBODY, REVIEW, STAKE } from './harness/terms.js';

const [FIFTH] = PAYMENTS as [bigint];

async function error(relay: Relay, instruction: Instruction): Promise<string | undefined> {
  return (await relay.ledger.send(instruction)).error;
}

describe('confirm_leg with terms', () => {
  testGuards(async (relay) => {
    const delivery = await staged(relay, 'carried');
    return {
      instruction: await relay.moves.handoff(delivery),
      owned: { InvalidAccountOwner: [1, 2, 3, 6, 7] },
      strangers: { UnauthorizedRecipient: [0], InvalidAccount: [1, 2, 4, 5, 8], InvalidAccountOwner: [3, 6, 7] },
      fixedAccounts: 9,
    };
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-32] [T-36] the next courier takes over a leg that is carried or claimed: payment, stake, turn',
    async () => {
      for (const stage of ['carried', 'claimed'] as const) {
        const relay = await Relay.initialised();
        const delivery = await staged(relay, stage);
        await relay.ledger.setClock(NOW + REVIEW + 5n);

        const changes = await gains(relay, delivery, await relay.moves.handoff(delivery));

        expect(changes).toEqual({ leg: -STAKE, courier: FIFTH + STAKE, vault: -FIFTH });
        const since = NOW + REVIEW + 5n;
        expect(await relay.moves.leg(delivery)).toMatchObject({ status: LegStatus.Completed, completedAt: since });
        expect(await relay.moves.leg(delivery, 1)).toMatchObject({
          status: LegStatus.Carried,
          turn: { since, formation: 1 },
        });
        expect(await relay.moves.leg(delivery, 2)).toMatchObject({ status: LegStatus.Pending, turn: { since: NOW } });
        expect(await relay.swarm(delivery)).toMatchObject({ completedLegs: 1, paidLamports: FIFTH });
        expect(await relay.package(delivery)).toMatchObject({ paid: FIFTH });
        const career = { legsAccepted: 1n, legsCompleted: 1n, reliabilityScore: 100 };
        expect(await relay.reputation((await relay.courier(0)).address)).toMatchObject(career);
      }
    },
  );

  test('[T-32] nobody takes over from who has not the parcel, nor who has not accepted', async ({ relay }) => {
    const stages = ['pending', 'accepted', 'vacant'] as const;
    for (const [number, stage] of stages.entries()) {
      const delivery = await staged(relay, stage, { number });
      expect([stage, await error(relay, await relay.moves.handoff(delivery))]).toEqual([stage, 'InvalidStatus']);
    }
    const unready = await staged(relay, 'carried', { next: false, number: 4 });
    expect(await error(relay, await relay.moves.handoff(unready))).toBe('InvalidStatus');
    const left = await staged(relay, 'carried', { next: false, number: 5 });
    must(await relay.ledger.send(await relay.moves.vacate(left, { index: 1 })));
    expect(await error(relay, await relay.moves.handoff(left))).toBe('InvalidStatus');
    const waiting = await staged(relay, 'claimed', { next: false, number: 6 });
    expect(await error(relay, await relay.moves.handoff(waiting))).toBe('ReviewOpen');
  });

  test('[T-32] nobody but the next courier takes over', async ({ relay }) => {
    const delivery = await staged(relay, 'carried');
    const handoff = await relay.moves.handoff(delivery);
    const others = [
      delivery.shipper,
      delivery.funder,
      relay.coordinator,
      await relay.courier(0),
      await relay.courier(2),
      await relay.person('receiver'),
      await keyOf('arbiter'),
    ];
    for (const signer of others) {
      expect(await error(relay, signedBy(handoff, 0, signer))).toBe('UnauthorizedRecipient');
    }
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-32] [T-33] from the deadline on nobody takes over, and a claim is paid all the same',
    async ({ relay }) => {
      const carried = await staged(relay, 'carried');
      const handoff = await relay.moves.handoff(carried);
      await relay.ledger.setClock(DEADLINE);
      expect(await error(relay, handoff)).toBe('DeadlinePassed');
      await relay.ledger.setClock(DEADLINE - 1n);
      must(await relay.ledger.send(handoff));

      const again = await Relay.initialised();
      const claimed = await staged(again, 'claimed');
      await again.ledger.setClock(DEADLINE);
      must(await again.ledger.send(await again.moves.handoff(claimed)));
      expect(await again.moves.leg(claimed, 1)).toMatchObject({ status: LegStatus.Accepted });
    },
  );

  test('[T-31] [T-36] lister or receiver confirms the final leg, picked up or not, claimed or not', async ({
    relay,
  }) => {
    const receiver = await relay.person('receiver');
    let number = 0;
    for (const stage of ['accepted', 'carried', 'claimed'] as const) {
      for (const role of ['lister', 'receiver'] as const) {
        number += 1;
        const delivery = await staged(relay, stage, { payments: [SOL / 8n], number });
        const recipient = role === 'lister' ? delivery.shipper : receiver;
        const courier = (await relay.courier(0)).address;
        const confirm = await relay.confirm(delivery, { index: 0, courier, recipient });
        const changes = await gains(relay, delivery, confirm);
        expect(changes).toEqual({ leg: -STAKE, courier: SOL / 8n + STAKE, vault: -SOL / 8n });
        expect(await relay.moves.leg(delivery)).toMatchObject({ status: LegStatus.Completed });
        must(await relay.ledger.send(await relay.settle(delivery, 1)));
      }
    }
  });

  test('[T-31] [T-34] refuses a final leg without a stake, and one that is disputed', async ({ relay }) => {
    const expected = { pending: 'InvalidStatus', vacant: 'InvalidStatus', disputed: 'ClaimPending' } as const;
    for (const [number, [stage, refusal]] of Object.entries(expected).entries()) {
      const delivery = await staged(relay, stage as keyof typeof expected, { payments: [SOL / 8n], number });
      for (const signer of [delivery.shipper, await relay.person('receiver')]) {
        const confirm = signedBy(await relay.moves.handoff(delivery, 0, 1), 0, signer);
        expect([stage, await error(relay, confirm)]).toEqual([stage, refusal]);
      }
    }
  });

  test('[T-31] nobody else confirms the final leg before it is claimed', async ({ relay }) => {
    const delivery = await staged(relay, 'carried', { payments: [SOL / 8n] });
    const confirm = await relay.moves.handoff(delivery, 0, 1);
    const others = [
      delivery.funder,
      relay.coordinator,
      relay.authority,
      await relay.courier(0),
      await keyOf('arbiter'),
    ];
    for (const signer of others) {
      expect(await error(relay, signedBy(confirm, 0, signer))).toBe('UnauthorizedRecipient');
    }
    const nobody = await staged(relay, 'carried', { payments: [SOL / 8n], number: 2 });
    expect(
      await error(relay, signedBy(await relay.moves.handoff(nobody, 0, 1), 0, await relay.person('receiver'))),
    ).toBe(undefined);
  });

  test('[T-31] [P-40] terms without a receiver leave the lister alone to confirm', async ({ relay }) => {
    const delivery = await relay.moves.carried(
      await relay.moves.pending(await relay.moves.listed(1, { receiver: NOBODY }), [SOL / 8n]),
    );
    const confirm = await relay.moves.handoff(delivery, 0, 1);
    expect(await error(relay, signedBy(confirm, 0, await relay.person('receiver')))).toBe('UnauthorizedRecipient');
    const courier = (await relay.courier(0)).address;
    const shown = await relay.confirm(delivery, { index: 0, courier, recipient: delivery.shipper, next: 0 });
    expect(await error(relay, shown)).toBe('UnexpectedNextLeg');
    must(await relay.ledger.send(confirm));
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-33] from the second of the review on anyone ends a claim, and until the second before nobody',
    async () => {
      for (const payments of [PAYMENTS, [SOL / 8n]]) {
        for (const role of ['stranger', 'courier', 'funder', 'coordinator'] as const) {
          const relay = await Relay.initialised();
          const delivery = await staged(relay, 'claimed', { payments });
          const signers: Record<typeof role, KeyPairSigner> = {
            stranger: await relay.person('stranger'),
            courier: await relay.courier(0),
            funder: delivery.funder,
            coordinator: relay.coordinator,
          };
          const crank = signedBy(await relay.moves.crank(delivery, 0, payments.length), 0, signers[role]);
          await relay.ledger.setClock(NOW + REVIEW - 1n);
          expect(await error(relay, crank)).toBe('ReviewOpen');
          await relay.ledger.setClock(NOW + REVIEW);
          const [payment] = payments as [bigint];
          const changes = await gains(relay, delivery, crank);
          expect(changes).toEqual({ leg: -STAKE, courier: payment + STAKE, vault: -payment });
        }
      }
    },
  );

  test.skipIf(CANNOT_SET_TIME)(
    '[T-33] after a claim ended by silence the next leg keeps its status, and its turn begins',
    async () => {
      const statuses = { pending: LegStatus.Pending, accepted: LegStatus.Accepted, vacant: LegStatus.Vacant };
      for (const [name, status] of Object.entries(statuses)) {
        const relay = await Relay.initialised();
        const delivery = await staged(relay, 'claimed', { next: name === 'accepted' });
        if (name === 'vacant') must(await relay.ledger.send(await relay.moves.vacate(delivery, { index: 1 })));
        await relay.ledger.setClock(NOW + REVIEW + 9n);
        must(await relay.ledger.send(await relay.moves.crank(delivery)));
        expect(await relay.moves.leg(delivery, 1)).toMatchObject({ status, turn: { since: NOW + REVIEW + 9n } });
        if (name !== 'accepted') continue;
        must(await relay.ledger.send(await relay.moves.accept(delivery, { index: 1, take: true })));
        must(await relay.ledger.send(await relay.moves.accept(delivery, { index: 2 })));
        must(await relay.ledger.send(await relay.moves.handoff(delivery, 1)));
        must(await relay.ledger.send(await relay.moves.handoff(delivery, 2)));
        must(await relay.ledger.send(await relay.settle(delivery, 3)));
      }
    },
  );

  test('[T-36] the next leg is written', async ({ relay }) => {
    const delivery = await staged(relay, 'carried');
    const handoff = await relay.moves.handoff(delivery);
    expect(await error(relay, readOnly(handoff, 7))).toBe('AccountNotWritable');
    for (const index of [0, 2]) {
      expect(await error(relay, swapped(handoff, 7, await relay.leg(delivery, index)))).toBe('InvalidAccount');
    }
    expect(await error(relay, swapped(readOnly(handoff, 7), 7, relay.programAddress))).toBe('MissingNextLeg');
  });

  test('[P-39] refuses to skip, to reorder and to repeat', async ({ relay }) => {
    const delivery = await staged(relay, 'carried');
    must(await relay.ledger.send(await relay.moves.accept(delivery, { index: 2 })));
    expect(await error(relay, await relay.moves.handoff(delivery, 1))).toBe('LegOutOfOrder');
    const first = await relay.moves.handoff(delivery, 0);
    must(await relay.ledger.send(first));
    expect(await error(relay, first)).toBe('LegOutOfOrder');
  });
});
