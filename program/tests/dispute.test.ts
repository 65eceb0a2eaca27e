import { LegStatus } from '@legwork/program-client';
import { describe, expect, test } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, NOW } from './harness/delivery.js';
import { testGuards } from './harness/guards.js';
import { Relay } from './harness/relay.js';
import { NOBODY, REVIEW, STAKE } from './harness/terms.js';

describe('dispute', () => {
  testGuards(async () => {
    const relay = await Relay.initialised();
    return {
      relay,
      instruction: await relay.moves.dispute(await relay.moves.claimed()),
      owned: { 1: 'InvalidAccountOwner', 2: 'InvalidAccountOwner', 3: 'InvalidAccountOwner' },
      strangers: {
        0: 'Unauthorized',
        1: 'InvalidAccountOwner',
        2: 'InvalidAccountOwner',
        3: 'InvalidAccountOwner',
        4: 'InvalidAccount',
      },
      fixedAccounts: 5,
    };
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-15] [T-18] lister or receiver posts the second stake, which the leg notes',
    async () => {
      for (const [disputedBy, name] of [[1, 'shipper'] as const, [2, 'receiver'] as const]) {
        const relay = await Relay.initialised();
        const disputer = await relay.person(name);
        const delivery = await relay.moves.claimed();
        const leg = await relay.leg(delivery, 0);
        const before = [await relay.lamports(leg), await relay.lamports(disputer.address)] as const;
        await relay.ledger.setClock(NOW + 80n);

        must(await relay.ledger.send(await relay.moves.dispute(delivery, { disputer })));

        expect(await relay.lamports(leg)).toBe(before[0] + STAKE);
        expect(await relay.lamports(disputer.address)).toBe(before[1] - STAKE);
        expect(await relay.moves.leg(delivery)).toMatchObject({
          status: LegStatus.Disputed,
          turn: { since: NOW + 80n, formation: 1, disputer: disputedBy, percent: 0 },
        });
      }
    },
  );

  test('[T-15] refuses everybody but lister and receiver', async () => {
    const relay = await Relay.initialised();
    const delivery = await relay.moves.claimed();
    const others = [await relay.courier(0), await relay.courier(1), delivery.funder, await relay.person('arbiter')];
    for (const disputer of [...others, relay.coordinator]) {
      expect((await relay.ledger.send(await relay.moves.dispute(delivery, { disputer }))).error).toBe('Unauthorized');
    }
  });

  test('[T-15] without a receiver only the lister disputes', async () => {
    const relay = await Relay.initialised();
    const listed = await relay.moves.listed(1, { receiver: NOBODY });
    const delivery = await relay.moves.claimed(await relay.moves.pending(listed));
    const disputer = await relay.person('receiver');
    expect((await relay.ledger.send(await relay.moves.dispute(delivery, { disputer }))).error).toBe('Unauthorized');
    must(await relay.ledger.send(await relay.moves.dispute(delivery)));
  });

  test('[T-15] refuses a leg that is not claimed', async () => {
    const relay = await Relay.initialised();
    const { moves } = relay;
    for (const [number, stage] of (['pending', 'carried', 'disputed', 'vacant'] as const).entries()) {
      const pending = await moves.pending(await moves.listed(number));
      const delivery = stage === 'pending' ? pending : await moves[stage](pending);
      const { error } = await relay.ledger.send(await moves.dispute(delivery));
      expect([stage, error]).toEqual([stage, 'InvalidStatus']);
    }
  });

  test.skipIf(CANNOT_SET_TIME)('[T-16] is possible until the second before the review is over', async () => {
    const relay = await Relay.initialised();
    const dispute = await relay.moves.dispute(await relay.moves.claimed());
    await relay.ledger.setClock(NOW + REVIEW);
    expect((await relay.ledger.send(dispute)).error).toBe('ReviewOver');
    await relay.ledger.setClock(NOW + REVIEW - 1n);
    must(await relay.ledger.send(dispute));
  });

  test.skipIf(CANNOT_SET_TIME)('[T-16] is possible after the deadline', async () => {
    const relay = await Relay.initialised();
    const delivery = await relay.moves.carried();
    await relay.ledger.setClock(DEADLINE - 1n);
    must(await relay.ledger.send(await relay.moves.claim(delivery)));
    await relay.ledger.setClock(DEADLINE);
    expect((await relay.ledger.send(await relay.moves.dispute(delivery))).error).toBeUndefined();
  });

  test('[T-5] refuses the number of another courier of the leg', async () => {
    const relay = await Relay.initialised();
    const dispute = await relay.moves.dispute(await relay.moves.claimed(), { formation: 2 });
    expect((await relay.ledger.send(dispute)).error).toBe('FormationMismatch');
  });
});
