import { LegStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, NOW } from './harness/delivery.js';
import { testGuards } from './harness/guards.js';
import { test } from './harness/relayTest.js';
import { CARRY } from './harness/terms.js';

describe('claim', () => {
  testGuards(async (relay) => ({
    instruction: await relay.moves.claim(await relay.moves.carried()),
    owned: { InvalidAccountOwner: [1, 2, 3] },
    strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2, 3] },
    fixedAccounts: 4,
  }));

  test.skipIf(CANNOT_SET_TIME)('[T-14] [T-18] a carried leg is claimed, and no lamport moves', async ({ relay }) => {
    const delivery = await relay.moves.carried();
    const leg = await relay.leg(delivery, 0);
    const before = await relay.lamports(leg);
    await relay.ledger.setClock(NOW + 70n);

    must(await relay.ledger.send(await relay.moves.claim(delivery)));

    expect(await relay.lamports(leg)).toBe(before);
    expect(await relay.moves.leg(delivery)).toMatchObject({
      status: LegStatus.Claimed,
      turn: { since: NOW + 70n, formation: 1, note: 0, percent: 0 },
    });
  });

  test('[T-14] refuses everybody but the courier of the leg', async ({ relay }) => {
    const delivery = await relay.moves.carried();
    for (const courier of [await relay.courier(1), delivery.shipper, relay.coordinator]) {
      expect((await relay.ledger.send(await relay.moves.claim(delivery, { courier }))).error).toBe('Unauthorized');
    }
  });

  test('[T-14] refuses a leg that is not carried, and one whose turn has not come', async ({ relay }) => {
    const { moves } = relay;
    for (const [number, stage] of (['pending', 'claimed', 'disputed', 'vacant'] as const).entries()) {
      const pending = await moves.pending(await moves.listed(number));
      const delivery = stage === 'pending' ? pending : await moves[stage](pending);
      const { error } = await relay.ledger.send(await moves.claim(delivery));
      expect([stage, error]).toEqual([stage, 'InvalidStatus']);
    }
    const accepted = await moves.accepted([0, 1], await moves.pending(await moves.listed(9)));
    expect((await relay.ledger.send(await moves.claim(accepted))).error).toBe('InvalidStatus');
    expect((await relay.ledger.send(await moves.claim(accepted, { index: 1 }))).error).toBe('LegOutOfOrder');
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-9] [T-14] is possible until the second before the deadline, clock or not',
    async ({ relay }) => {
      const claim = await relay.moves.claim(await relay.moves.carried());
      await relay.ledger.setClock(DEADLINE);
      expect((await relay.ledger.send(claim)).error).toBe('DeadlinePassed');
      expect(DEADLINE - 1n).toBeGreaterThan(NOW + CARRY);
      await relay.ledger.setClock(DEADLINE - 1n);
      must(await relay.ledger.send(claim));
    },
  );

  test('[T-5] refuses the number of another courier of the leg', async ({ relay }) => {
    const claim = await relay.moves.claim(await relay.moves.carried(), { formation: 0 });
    expect((await relay.ledger.send(claim)).error).toBe('FormationMismatch');
  });
});
