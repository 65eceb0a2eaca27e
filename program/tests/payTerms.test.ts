import { LegStatus } from '@legwork/program-client';
import { toLamports } from '@legwork/protocol/contract';
import { ruledPayment } from '@legwork/protocol/rules';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { must, NOW, SOL } from './harness/delivery.js';
import { gains } from './harness/gains.js';
import { keyOf } from './harness/keys.js';
import { PAYMENTS } from './harness/moves.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { staged } from './harness/stages.js';
import { signedBy } from './harness/tamper.js';
import { REVIEW, STAKE } from './harness/terms.js';

const [FIFTH] = PAYMENTS as [bigint];
const LEAST_STAKE = 1_781_760n;

describe('what confirm_leg pays with terms', () => {
  test('[T-34] nobody ends a dispute by a confirmation', async ({ relay }) => {
    const delivery = await staged(relay, 'disputed');
    const handoff = await relay.moves.handoff(delivery);
    for (const signer of [await relay.courier(1), delivery.shipper, await relay.person('stranger')]) {
      expect((await relay.ledger.send(signedBy(handoff, 0, signer))).error).toBe('ClaimPending');
    }
  });

  test('[T-34] [T-36] anyone ends a ruled leg at once, which pays its part to the lamport and counts as completed', async () => {
    const payment = SOL / 8n + 7n;
    for (const payments of [[payment, payment], [payment]]) {
      for (const percent of [1, 49, 50, 99, 100]) {
        const relay = await Relay.initialised();
        await relay.person('arbiter');
        const delivery = await relay.moves.disputed(await relay.moves.pending(await relay.moves.listed(), payments));
        must(await relay.ledger.send(await relay.moves.rule(delivery, { percent })));
        const part: bigint = ruledPayment(toLamports(payment), percent);
        const changes = await gains(relay, delivery, await relay.moves.crank(delivery, 0, payments.length));
        expect(changes).toEqual({ courier: part, vault: -part });
        expect(await relay.swarm(delivery)).toMatchObject({ completedLegs: 1, paidLamports: part });
        expect(await relay.package(delivery)).toMatchObject({ paid: part });
        expect(await relay.reputation((await relay.courier(0)).address)).toMatchObject({ legsCompleted: 1n });
      }
    }
  });

  test('[T-34] the signature of the next courier on a ruled leg is no takeover', async ({ relay }) => {
    const delivery = await staged(relay, 'ruled');
    must(await relay.ledger.send(await relay.moves.handoff(delivery)));
    expect(await relay.moves.leg(delivery, 1)).toMatchObject({ status: LegStatus.Accepted });
  });

  test('[T-34] [T-36] a ruling that leaves less than a lamport pays nothing and ends the leg', async ({ relay }) => {
    await relay.person('arbiter');
    const delivery = await relay.moves.disputed(await relay.moves.pending(await relay.moves.listed(), [1n]));
    must(await relay.ledger.send(await relay.moves.rule(delivery, { percent: 99 })));
    expect(await gains(relay, delivery, await relay.moves.crank(delivery, 0, 1))).toEqual({});
    must(await relay.ledger.send(await relay.settle(delivery, 1)));
  });

  test('[T-36] what a new wallet would not keep of a ruling stays in the vault, and the leg is completed', async ({
    relay,
  }) => {
    await relay.person('arbiter');
    const courier = await keyOf('penniless courier');
    const payment = 890_879n;
    const delivery = await relay.forming([payment], 0, await relay.moves.listed(1, { stake: LEAST_STAKE }));
    must(await relay.ledger.send(await relay.assign(delivery, 0, courier.address, payment)));
    await relay.ledger.airdrop(courier.address, LEAST_STAKE);
    must(await relay.ledger.send(await relay.moves.accept(delivery, { courier, take: true })));
    must(await relay.ledger.send(await relay.moves.claim(delivery, { courier })));
    must(await relay.ledger.send(await relay.moves.dispute(delivery)));
    must(await relay.ledger.send(await relay.moves.rule(delivery, { courier, percent: 1 })));
    expect(await relay.lamports(courier.address)).toBe(0n);
    const vault = await relay.lamports(delivery.vault);

    must(await relay.ledger.send(await relay.moves.crank(delivery, 0, 1)));

    expect(await relay.lamports(courier.address)).toBe(0n);
    expect(await relay.swarm(delivery)).toMatchObject({ completedLegs: 1, paidLamports: 0n });
    expect(await relay.package(delivery)).toMatchObject({ paid: 0n });
    const settled = await gains(relay, delivery, await relay.settle(delivery, 1));
    expect(settled).toMatchObject({ funder: vault, vault: -vault });
  });

  test('[T-36] a payment below the rent of a wallet arrives with the stake', async ({ relay }) => {
    const courier = await keyOf('penniless courier');
    const delivery = await relay.forming([1n], 0, await relay.moves.listed(1, { stake: LEAST_STAKE }));
    must(await relay.ledger.send(await relay.assign(delivery, 0, courier.address, 1n)));
    await relay.ledger.airdrop(courier.address, LEAST_STAKE);
    must(await relay.ledger.send(await relay.moves.accept(delivery, { courier })));
    expect(await relay.lamports(courier.address)).toBe(0n);
    must(await relay.ledger.send(await relay.moves.handoff(delivery, 0, 1)));
    expect(await relay.lamports(courier.address)).toBe(LEAST_STAKE + 1n);
  });

  test.skipIf(CANNOT_FORGE)(
    '[T-36] a courier that makes its wallet a program stops no handoff: all of it stays in the vault',
    async ({ relay }) => {
      const delivery = await staged(relay, 'carried');
      await relay.makeProgram((await relay.courier(0)).address);
      const changes = await gains(relay, delivery, await relay.moves.handoff(delivery));
      expect(changes).toEqual({ leg: -STAKE, vault: STAKE });
      expect(await relay.swarm(delivery)).toMatchObject({ completedLegs: 1, paidLamports: 0n });
      expect(await relay.moves.leg(delivery, 1)).toMatchObject({ status: LegStatus.Carried });
    },
  );

  test.skipIf(CANNOT_FORGE)(
    '[P-42] refuses a vault that cannot cover the payment on top of its rent minimum',
    async ({ relay }) => {
      const delivery = await staged(relay, 'carried');
      const state = await relay.state(delivery.vault);
      const handoff = await relay.moves.handoff(delivery);
      await relay.ledger.forge(delivery.vault, { ...state, lamports: FIFTH + 890_879n });
      expect((await relay.ledger.send(handoff)).error).toBe('InsufficientVault');
      await relay.ledger.forge(delivery.vault, { ...state, lamports: FIFTH + 890_880n });
      must(await relay.ledger.send(handoff));
    },
  );

  test.skipIf(CANNOT_SET_TIME)(
    '[T-33] [T-34] [P-9] payments by silence and by ruling are open while paused',
    async () => {
      for (const stage of ['carried', 'claimed', 'ruled'] as const) {
        const relay = await Relay.initialised();
        const delivery = await staged(relay, stage);
        await relay.pause();
        if (stage === 'claimed') await relay.ledger.setClock(NOW + REVIEW);
        const end = stage === 'carried' ? await relay.moves.handoff(delivery) : await relay.moves.crank(delivery);
        must(await relay.ledger.send(end));
        expect(await relay.swarm(delivery)).toMatchObject({ completedLegs: 1 });
      }
    },
  );
});
