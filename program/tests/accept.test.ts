import { LegStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, NOW, SOL } from './harness/delivery.js';
import { testGuards } from './harness/guards.js';
import { PAYMENTS } from './harness/moves.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped, withData } from './harness/tamper.js';
import { CARRY, COSIGNED, HANDOFF, REVIEW, STAKE } from './harness/terms.js';

describe('accept', () => {
  testGuards(async (relay) => {
    const delivery = await relay.moves.pending(await relay.moves.listed(1, { flags: COSIGNED }));
    return {
      instruction: await relay.moves.accept(delivery, { take: true, lister: delivery.shipper }),
      owned: { InvalidAccountOwner: [1, 2, 3] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2, 3], InvalidAccount: [4, 5] },
      fixedAccounts: 6,
    };
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-7] [T-18] posts the stake of any pending leg, whose clock begins',
    async ({ relay }) => {
      const delivery = await relay.moves.pending();
      await relay.ledger.setClock(NOW + 60n);
      for (const index of PAYMENTS.keys()) {
        const [leg, courier] = [await relay.leg(delivery, index), (await relay.courier(index)).address];
        const before = [await relay.lamports(leg), await relay.lamports(courier)] as const;

        must(await relay.ledger.send(await relay.moves.accept(delivery, { index })));

        expect(await relay.lamports(leg)).toBe(before[0] + STAKE);
        expect(await relay.lamports(courier)).toBe(before[1] - STAKE);
        expect(await relay.moves.leg(delivery, index)).toMatchObject({
          status: LegStatus.Accepted,
          courier,
          turn: { since: NOW + 60n, formation: 1, note: 3, percent: 0 },
        });
      }
    },
  );

  test.skipIf(CANNOT_SET_TIME)('[T-8] takes the parcel with or after the stake, which is posted once', async () => {
    for (const isFirstAccepted of [false, true]) {
      const relay = await Relay.initialised();
      const delivery = await (isFirstAccepted ? relay.moves.accepted([0]) : relay.moves.pending());
      const [leg, courier] = [await relay.leg(delivery, 0), (await relay.courier(0)).address];
      const before = [await relay.lamports(leg), await relay.lamports(courier)] as const;
      await relay.ledger.setClock(NOW + 90n);

      must(await relay.ledger.send(await relay.moves.accept(delivery, { take: true })));

      const posted = isFirstAccepted ? 0n : STAKE;
      expect(await relay.lamports(leg)).toBe(before[0] + posted);
      expect(await relay.lamports(courier)).toBe(before[1] - posted);
      expect(await relay.moves.leg(delivery)).toMatchObject({ status: LegStatus.Carried, turn: { since: NOW + 90n } });
    }
  });

  test('[T-8] refuses to take another leg than the first, also an accepted one', async ({ relay }) => {
    const delivery = await relay.moves.accepted([1]);
    for (const index of [1, 2]) {
      const take = await relay.moves.accept(delivery, { index, take: true });
      expect([index, (await relay.ledger.send(take)).error]).toEqual([index, 'LegOutOfOrder']);
    }
  });

  test('[T-8] the first pickup is signed by the lister too if the terms say so, an acceptance is not', async ({
    relay,
  }) => {
    const delivery = await relay.moves.pending(await relay.moves.listed(1, { flags: COSIGNED }));
    must(await relay.ledger.send(await relay.moves.accept(delivery)));
    expect((await relay.ledger.send(await relay.moves.accept(delivery, { take: true }))).error).toBe(
      'MissingSignature',
    );
    const impostor = await relay.moves.accept(delivery, { take: true, lister: await relay.person('impostor') });
    expect((await relay.ledger.send(impostor)).error).toBe('InvalidAccount');
    must(await relay.ledger.send(await relay.moves.accept(delivery, { take: true, lister: delivery.shipper })));
  });

  test.skipIf(CANNOT_SET_TIME)('[T-8] the lister signs no later pickup', async ({ relay }) => {
    const delivery = await relay.moves.pending(await relay.moves.listed(1, { flags: COSIGNED }));
    const [first, recipient] = [(await relay.courier(0)).address, await relay.person('stranger')];
    must(await relay.ledger.send(await relay.moves.accept(delivery, { take: true, lister: delivery.shipper })));
    must(await relay.ledger.send(await relay.moves.claim(delivery)));
    await relay.ledger.setClock(NOW + REVIEW);
    must(await relay.ledger.send(await relay.confirm(delivery, { index: 0, courier: first, recipient, next: 1 })));
    must(await relay.ledger.send(await relay.moves.accept(delivery, { index: 1, take: true })));
    expect(await relay.moves.leg(delivery, 1)).toMatchObject({ status: LegStatus.Carried });
  });

  test('[T-7] refuses a leg that is accepted, carried, claimed, disputed or vacant already', async ({ relay }) => {
    const { moves } = relay;
    const stages = ['accepted', 'carried', 'claimed', 'disputed', 'vacant'] as const;
    for (const [number, stage] of stages.entries()) {
      const delivery = await moves.pending(await moves.listed(number));
      await (stage === 'accepted' ? moves.accepted([0], delivery) : moves[stage](delivery));
      for (const take of stage === 'accepted' ? [false] : [false, true]) {
        const { error } = await relay.ledger.send(await moves.accept(delivery, { take }));
        expect([stage, take, error]).toEqual([stage, take, 'InvalidStatus']);
      }
    }
  });

  test('[T-7] refuses everybody but the courier of the leg', async ({ relay }) => {
    const delivery = await relay.moves.pending();
    for (const courier of [await relay.courier(1), delivery.shipper, relay.coordinator]) {
      expect((await relay.ledger.send(await relay.moves.accept(delivery, { courier }))).error).toBe('Unauthorized');
    }
  });

  test.skipIf(CANNOT_FORGE)('refuses a courier who has no stake to post', async ({ relay }) => {
    const delivery = await relay.moves.pending(await relay.moves.listed(1, { stake: SOL }), [1n]);
    const courier = await relay.courier(0);
    const state = await relay.state(courier.address);
    await relay.ledger.forge(courier.address, { ...state, lamports: SOL - 1n });
    expect((await relay.ledger.send(await relay.moves.accept(delivery))).error).toBeDefined();
    expect(await relay.moves.leg(delivery)).toMatchObject({ status: LegStatus.Pending });
  });

  test.skipIf(CANNOT_SET_TIME)('[T-7] [T-8] is possible until the second before the deadline', async () => {
    for (const take of [false, true]) {
      const relay = await Relay.initialised();
      const accept = await relay.moves.accept(await relay.moves.pending(), { take });
      await relay.ledger.setClock(DEADLINE);
      expect((await relay.ledger.send(accept)).error).toBe('DeadlinePassed');
      await relay.ledger.setClock(DEADLINE - 1n);
      must(await relay.ledger.send(accept));
    }
  });

  test.skipIf(CANNOT_SET_TIME)('[T-9] is good though its clock is over, until somebody vacates', async ({ relay }) => {
    const delivery = await relay.moves.pending();
    await relay.ledger.setClock(NOW + HANDOFF);
    must(await relay.ledger.send(await relay.moves.accept(delivery)));
    await relay.ledger.setClock(NOW + HANDOFF + CARRY);
    must(await relay.ledger.send(await relay.moves.accept(delivery, { take: true })));
    expect(await relay.moves.leg(delivery)).toMatchObject({ status: LegStatus.Carried });
  });

  test('[T-5] refuses the number of another courier of the leg', async ({ relay }) => {
    const delivery = await relay.moves.pending();
    for (const formation of [0, 2]) {
      const accept = await relay.moves.accept(delivery, { formation });
      expect((await relay.ledger.send(accept)).error).toBe('FormationMismatch');
    }
  });

  test('[P-1] the argument take is 0 or 1', async ({ relay }) => {
    const accept = await relay.moves.accept(await relay.moves.pending());
    const refused = withData(accept, Uint8Array.from(accept.data ?? []).with(3, 2));
    expect((await relay.ledger.send(refused)).error).toBe('InvalidInstruction');
  });

  test('[P-7] refuses leg and swarm of another package', async ({ relay }) => {
    const delivery = await relay.moves.pending();
    const other = await relay.moves.pending(await relay.moves.listed(2));
    const accept = await relay.moves.accept(delivery);
    for (const [place, address] of [[2, other.swarm] as const, [3, await relay.leg(other, 0)] as const]) {
      expect((await relay.ledger.send(swapped(accept, place, address))).error).toBe('InvalidAccount');
    }
  });
});
