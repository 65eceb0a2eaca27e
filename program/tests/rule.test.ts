import { LegStatus } from '@legwork/program-client';
import { toLamports } from '@legwork/protocol/contract';
import { stakeShares } from '@legwork/protocol/rules';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { court, division, guardedRuling } from './harness/court.js';
import { DEADLINE, must, NOW, SOL } from './harness/delivery.js';
import { listerOf, type Escrow } from './harness/escrow.js';
import { gains, moved } from './harness/gains.js';
import { testGuards } from './harness/guards.js';
import { keyOf } from './harness/keys.js';
import { isUnpaid, KINDS } from './harness/kinds.js';
import { PAYMENTS } from './harness/moves.js';
import type { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { signedBy, swapped, unsigned } from './harness/tamper.js';
import { ARBITRATION, INCINERATOR, STAKE } from './harness/terms.js';

const LEAST_STAKE = 1_781_760n;
const RENT_OF_WALLET = 890_880n;

/** The default of a dispute, at the second from which on it is open. */
async function byDefault(relay: Relay, escrow: Escrow) {
  await relay.ledger.setClock(NOW + ARBITRATION);
  return relay.moves.rule(escrow, { form: 'default', percent: 50 });
}

describe.each(KINDS)('rule, of a $kind', (kind) => {
  const { staged } = kind;

  testGuards((relay) => guardedRuling(relay, kind, 'ruled'));

  test('[T-22] [T-25] the arbiter divides two odd stakes less its fee, to the lamport', async () => {
    const relay = await court();
    const now = CANNOT_SET_TIME ? {} : { since: NOW };
    for (const [number, percent] of [0, 1, 49, 50, 51, 99, 100].entries()) {
      const escrow = await staged(relay, 'disputed', { number });
      const changes = await gains(relay, escrow, await relay.moves.rule(escrow, { percent }));
      expect([percent, changes]).toEqual([percent, division(STAKE, BigInt(percent))]);
      const status = percent === 0 ? LegStatus.Vacant : LegStatus.Ruled;
      expect(await relay.moves.leg(escrow)).toMatchObject({ status, turn: { ...now, formation: 1, percent } });
      expect(await isUnpaid(relay, escrow)).toBe(true);
    }
  });

  test('[T-22] any stake and percentage is divided without a rest', async () => {
    const relay = await court();
    let number = 0;
    const stakes = fc.bigInt({ min: LEAST_STAKE, max: SOL });
    const property = fc.asyncProperty(stakes, fc.integer({ min: 0, max: 100 }), async (stake, percent) => {
      number += 1;
      const escrow = await staged(relay, 'disputed', { number, changes: { stake } });
      const changes = await gains(relay, escrow, await relay.moves.rule(escrow, { percent }));
      expect(changes).toEqual(division(stake, BigInt(percent)));
      // The shares that pages and commands show before anybody signs are the program's.
      const { worker, disputer, fee } = stakeShares(toLamports(stake), 'arbiter', percent);
      expect(changes).toEqual(moved({ leg: -2n * stake, courier: worker, lister: disputer, arbiter: fee }));
    });
    await fc.assert(property, { numRuns: 25 });
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-21] [T-22] by silence the courier keeps its stake and half of the other one burns',
    async () => {
      const relay = await court();
      const escrow = await staged(relay, 'disputed');
      const fee = STAKE / 2n;
      const changes = await gains(relay, escrow, await byDefault(relay, escrow));
      expect(changes).toEqual({ leg: -2n * STAKE, courier: STAKE, lister: STAKE - fee, incinerator: fee });
      expect(await relay.moves.leg(escrow)).toMatchObject({
        status: LegStatus.Ruled,
        turn: { since: NOW + ARBITRATION, percent: 50 },
      });
    },
  );

  test.skipIf(CANNOT_SET_TIME)(
    '[T-20] [T-21] the arbiter has the seconds before its clock, everybody else those after',
    async () => {
      const relay = await court();
      const escrow = await staged(relay, 'disputed');
      const ruling = await relay.moves.rule(escrow, { percent: 80 });
      const silence = await relay.moves.rule(escrow, { form: 'default', percent: 50 });
      await relay.ledger.setClock(NOW + ARBITRATION - 1n);
      expect((await relay.ledger.send(silence)).error).toBe('LegInTime');
      await relay.ledger.setClock(NOW + ARBITRATION);
      expect((await relay.ledger.send(ruling)).error).toBe('LegOverdue');
      must(await relay.ledger.send(silence));

      const again = await court();
      const same = await staged(again, 'disputed');
      await again.ledger.setClock(NOW + ARBITRATION - 1n);
      must(await again.ledger.send(await again.moves.rule(same, { percent: 80 })));
    },
  );

  test.skipIf(CANNOT_SET_TIME)('[T-21] silence means 50 percent and nothing else, whoever says it', async () => {
    const relay = await court();
    const escrow = await staged(relay, 'disputed');
    const silence = await byDefault(relay, escrow);
    for (const percent of [0, 49, 51, 100]) {
      const other = await relay.moves.rule(escrow, { form: 'default', percent });
      expect((await relay.ledger.send(other)).error).toBe('InvalidAmount');
    }
    must(await relay.ledger.send(signedBy(silence, 0, await keyOf('arbiter'))));
  });

  test('[T-20] refuses more than all', async () => {
    const relay = await court();
    const escrow = await staged(relay, 'disputed');
    for (const form of ['ruled', 'agreed'] as const) {
      for (const percent of [101, 255]) {
        const ruling = await relay.moves.rule(escrow, { form, percent });
        expect((await relay.ledger.send(ruling)).error).toBe('InvalidAmount');
      }
    }
  });

  test('[T-20] refuses an arbiter that has become the coordinator', async () => {
    const relay = await court();
    const escrow = await staged(relay, 'disputed');
    must(await relay.ledger.send(relay.setCoordinator((await keyOf('arbiter')).address)));
    const ruling = await relay.moves.rule(escrow, { percent: 100 });
    expect((await relay.ledger.send(ruling)).error).toBe('Unauthorized');
    must(await relay.ledger.send(relay.setCoordinator(relay.coordinator.address)));
    must(await relay.ledger.send(ruling));
  });

  test('[T-20] [T-23] nobody else rules within the clock, nor one side alone', async () => {
    const relay = await court();
    const escrow = await staged(relay, 'disputed');
    const agreed = await relay.moves.rule(escrow, { form: 'agreed', percent: 100 });
    const others = [
      relay.coordinator,
      relay.authority,
      escrow.funder,
      await relay.courier(0),
      await relay.courier(1),
      await relay.person('receiver'),
    ];
    for (const signer of others) {
      expect((await relay.ledger.send(signedBy(agreed, 0, signer))).error).toBe('Unauthorized');
    }
    expect((await relay.ledger.send(unsigned(agreed, 1))).error).toBe('MissingSignature');
    must(await relay.ledger.send(agreed));
  });

  test('[T-20] [T-23] [T-79] refuses legs that are not contested', async () => {
    const relay = await court();
    const refused = {
      ruled: ['pending', 'accepted', 'held', 'claimed', 'ruled', 'vacant'],
      agreed: ['pending', 'accepted', 'ruled', 'vacant'],
    } as const;
    let number = 0;
    for (const form of ['ruled', 'agreed'] as const) {
      for (const stage of refused[form]) {
        number += 1;
        const escrow = await staged(relay, stage, { number });
        const ruling = await relay.moves.rule(escrow, { form, percent: 61 });
        expect([form, stage, (await relay.ledger.send(ruling)).error]).toEqual([form, stage, 'InvalidStatus']);
      }
    }
  });

  test('[T-24] refuses a fee for anybody else', async () => {
    const relay = await court();
    const escrow = await staged(relay, 'disputed');
    const ruling = await relay.moves.rule(escrow, { percent: 60 });
    const others = [listerOf(escrow), escrow.funder, await relay.courier(0), relay.coordinator];
    for (const { address } of others) {
      expect((await relay.ledger.send(swapped(ruling, 7, address))).error).toBe('InvalidAccount');
    }
    expect((await relay.ledger.send(swapped(ruling, 7, INCINERATOR))).error).toBe('LegInTime');
  });

  test('[T-22] [T-17] what a new wallet would not keep goes to the vault, and the least fee opens one', async ({
    relay,
  }) => {
    const { moves } = relay;
    const stake = LEAST_STAKE;
    const receiver = await keyOf('receiver without money');
    const escrow = await staged(relay, 'claimed', { changes: { stake, receiver: receiver.address } });
    // Its wallet is left with nothing by the stake that it posts.
    await relay.ledger.airdrop(receiver.address, stake);
    must(await relay.ledger.send(await moves.dispute(escrow, { disputer: receiver })));
    const share = stake + stake / 2n - ((stake + stake / 2n) * 99n) / 100n;
    expect(share).toBeLessThan(RENT_OF_WALLET);

    const ruling = await moves.rule(escrow, { percent: 99, other: receiver.address });
    const changes = await gains(relay, escrow, ruling);

    const courier = stake + stake / 2n - share;
    expect(changes).toEqual({ leg: -2n * stake, courier, vault: share, arbiter: RENT_OF_WALLET });
  });

  test.skipIf(CANNOT_FORGE)('[T-22] [T-17] no ruling fails for a wallet that became a program', async () => {
    for (const program of ['courier', 'lister', 'arbiter'] as const) {
      const relay = await court();
      const escrow = await staged(relay, 'disputed');
      const keys = { courier: await relay.courier(0), lister: listerOf(escrow), arbiter: await keyOf('arbiter') };
      await relay.makeProgram(keys[program].address);
      const changes = await gains(relay, escrow, await relay.moves.rule(escrow, { percent: 60 }));
      const { [program]: lost, ...others } = division(STAKE, 60n);
      expect([program, changes]).toEqual([program, { ...others, vault: lost }]);
    }
  });

  test.skipIf(CANNOT_SET_TIME)('[T-6] every form is open while paused and after the deadline', async () => {
    for (const form of ['ruled', 'default', 'agreed'] as const) {
      const relay = await court();
      const escrow = await staged(relay, 'claimed', { changes: { review: 86_400, arbitration: 172_800 } });
      await relay.pause();
      await relay.ledger.setClock(DEADLINE - 1n);
      must(await relay.ledger.send(await relay.moves.dispute(escrow)));
      await relay.ledger.setClock(form === 'default' ? DEADLINE - 1n + 172_800n : DEADLINE);
      must(await relay.ledger.send(await relay.moves.rule(escrow, { form, percent: 50 })));
      expect(await relay.moves.leg(escrow)).toMatchObject({ status: LegStatus.Ruled });
    }
  });

  test('[T-5] names the leg by its number', async () => {
    const relay = await court();
    const escrow = await staged(relay, 'disputed');
    for (const formation of [0, 2, 65_535]) {
      const ruling = await relay.moves.rule(escrow, { percent: 60, formation });
      expect((await relay.ledger.send(ruling)).error).toBe('FormationMismatch');
    }
  });
});

test('[T-25] a leg that was ruled void keeps its payment in the pool', async () => {
  const relay = await court();
  const delivery = await relay.moves.disputed();
  must(await relay.ledger.send(await relay.moves.rule(delivery, { percent: 0 })));
  const total = PAYMENTS.reduce((sum, payment) => sum + payment, 0n);
  expect(await relay.swarm(delivery)).toMatchObject({ totalLamports: total, assignedLamports: total });
});
