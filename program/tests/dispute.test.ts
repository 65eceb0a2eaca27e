import { LegStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, NOW } from './harness/delivery.js';
import { listerOf } from './harness/escrow.js';
import { testGuards } from './harness/guards.js';
import { KINDS, placesIn } from './harness/kinds.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { NOBODY, REVIEW, STAKE } from './harness/terms.js';

describe.each(KINDS)('dispute, of a $kind', (kind) => {
  const { staged } = kind;
  const { owned, nobodys } = placesIn(kind, 1);

  testGuards(async (relay) => ({
    instruction: await relay.moves.dispute(await staged(relay, 'claimed')),
    owned: { InvalidAccountOwner: owned },
    strangers: { Unauthorized: [0], InvalidAccountOwner: owned, InvalidAccount: [...nobodys, 4] },
    fixedAccounts: 5,
  }));

  test.skipIf(CANNOT_SET_TIME)(
    '[T-15] [T-18] lister or receiver posts the second stake, which the leg notes',
    async () => {
      for (const [disputedBy, name] of [[1, 'lister'] as const, [2, 'receiver'] as const]) {
        const relay = await Relay.initialised();
        const escrow = await staged(relay, 'claimed');
        const disputer = name === 'lister' ? listerOf(escrow) : await relay.person(name);
        const leg = await relay.hop(escrow, 0);
        const before = [await relay.lamports(leg), await relay.lamports(disputer.address)] as const;
        await relay.ledger.setClock(NOW + 80n);

        must(await relay.ledger.send(await relay.moves.dispute(escrow, { disputer })));

        expect(await relay.lamports(leg)).toBe(before[0] + STAKE);
        expect(await relay.lamports(disputer.address)).toBe(before[1] - STAKE);
        expect(await relay.moves.leg(escrow)).toMatchObject({
          status: LegStatus.Disputed,
          turn: { since: NOW + 80n, formation: 1, note: disputedBy, percent: 0 },
        });
      }
    },
  );

  test('[T-15] refuses everybody but lister and receiver', async ({ relay }) => {
    const escrow = await staged(relay, 'claimed');
    const others = [await relay.courier(0), await relay.courier(1), escrow.funder, await relay.person('arbiter')];
    for (const disputer of [...others, relay.coordinator]) {
      expect((await relay.ledger.send(await relay.moves.dispute(escrow, { disputer }))).error).toBe('Unauthorized');
    }
  });

  test('[T-15] without a receiver only the lister disputes', async ({ relay }) => {
    const escrow = await staged(relay, 'claimed', { changes: { receiver: NOBODY } });
    const disputer = await relay.person('receiver');
    expect((await relay.ledger.send(await relay.moves.dispute(escrow, { disputer }))).error).toBe('Unauthorized');
    must(await relay.ledger.send(await relay.moves.dispute(escrow)));
  });

  test('[T-15] refuses a leg that is not claimed', async ({ relay }) => {
    const stages = ['pending', 'accepted', 'held', 'disputed', 'ruled', 'vacant'] as const;
    for (const [number, stage] of stages.entries()) {
      const escrow = await staged(relay, stage, { number });
      const { error } = await relay.ledger.send(await relay.moves.dispute(escrow));
      expect([stage, error]).toEqual([stage, 'InvalidStatus']);
    }
  });

  test.skipIf(CANNOT_SET_TIME)('[T-16] is possible until the second before the review is over', async ({ relay }) => {
    const dispute = await relay.moves.dispute(await staged(relay, 'claimed'));
    await relay.ledger.setClock(NOW + REVIEW);
    expect((await relay.ledger.send(dispute)).error).toBe('ReviewOver');
    await relay.ledger.setClock(NOW + REVIEW - 1n);
    must(await relay.ledger.send(dispute));
  });

  test.skipIf(CANNOT_SET_TIME)('[T-16] is possible after the deadline', async ({ relay }) => {
    const escrow = await staged(relay, 'held');
    await relay.ledger.setClock(DEADLINE - 1n);
    must(await relay.ledger.send(await relay.moves.claim(escrow)));
    await relay.ledger.setClock(DEADLINE);
    expect((await relay.ledger.send(await relay.moves.dispute(escrow))).error).toBeUndefined();
  });

  test('[T-5] refuses the number of another courier of the leg', async ({ relay }) => {
    const dispute = await relay.moves.dispute(await staged(relay, 'claimed'), { formation: 2 });
    expect((await relay.ledger.send(dispute)).error).toBe('FormationMismatch');
  });
});
