import { PackageStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, SOL, type Delivery } from './harness/delivery.js';
import { gains } from './harness/gains.js';
import { testGuards } from './harness/guards.js';
import { keyOf } from './harness/keys.js';
import { PAYMENTS } from './harness/moves.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { staged, type Stage } from './harness/stages.js';
import { signedBy, swapped, truncated } from './harness/tamper.js';
import { ARBITRATION, COSIGNED, REVIEW, STAKE, terms } from './harness/terms.js';

const LEAST_STAKE = 1_781_760n;
const RENT_OF_VAULT = 890_880n;

/** Rent of a swarm and of its legs, which its payer gets back. */
async function rentOf(relay: Relay, delivery: Delivery, stakes: bigint): Promise<bigint> {
  let rent = await relay.lamports(delivery.swarm);
  for (const index of PAYMENTS.keys()) rent += await relay.lamports(await relay.leg(delivery, index));
  return rent - stakes;
}

describe.skipIf(CANNOT_SET_TIME)('reclaim_package with terms', () => {
  testGuards(async (relay) => {
    const delivery = await staged(relay, 'carried');
    await relay.ledger.setClock(DEADLINE);
    return {
      instruction: await relay.moves.reclaim(delivery, delivery.shipper),
      owned: { InvalidAccountOwner: [1, 2, 5, 8, 9, 10] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2, 5, 8], InvalidAccount: [3, 4, 6, 7, 11] },
      fixedAccounts: 8,
    };
  });

  test('[T-39] waiting couriers get their stakes, the funder that of a custodian, whoever asks', async () => {
    for (const role of ['shipper', 'funder', 'coordinator'] as const) {
      const relay = await Relay.initialised();
      const delivery = await staged(relay, 'carried');
      const rent = await rentOf(relay, delivery, 2n * STAKE);
      const leg = await relay.lamports(await relay.leg(delivery, 0));
      await relay.ledger.setClock(DEADLINE);
      const signer = role === 'coordinator' ? relay.coordinator : delivery[role];

      const changes = await gains(relay, delivery, await relay.moves.reclaim(delivery, signer));

      const vault = SOL + RENT_OF_VAULT;
      const funder = vault + STAKE;
      expect(changes).toEqual({ leg: -leg, next: STAKE, funder, coordinator: rent, vault: -vault });
      expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.Reclaimed, paid: 0n });
      expect(await relay.ledger.account(await relay.leg(delivery, 1))).toBeUndefined();
    }
  });

  test('[T-38] shipper and funder reclaim at once while nothing is picked up, and every stake returns', async () => {
    for (const stage of ['pending', 'accepted', 'vacant'] as const) {
      for (const role of ['shipper', 'funder'] as const) {
        const relay = await Relay.initialised();
        const delivery = await staged(relay, stage);
        expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.InTransit });
        const changes = await gains(relay, delivery, await relay.moves.reclaim(delivery, delivery[role]));
        const first = stage === 'accepted' ? { courier: STAKE } : {};
        expect(changes).toMatchObject({ ...first, next: STAKE, funder: SOL + RENT_OF_VAULT });
        expect(changes.courier).toBe(stage === 'accepted' ? STAKE : undefined);
      }
    }
  });

  test('[T-38] once it is picked up, or a leg completed, they wait for the deadline', async () => {
    for (const stage of ['carried', 'claimed', 'disputed', 'ruled'] as const) {
      const relay = await Relay.initialised();
      const delivery = await staged(relay, stage);
      for (const role of ['shipper', 'funder'] as const) {
        const reclaim = await relay.moves.reclaim(delivery, delivery[role]);
        await relay.ledger.setClock(DEADLINE - 1n);
        expect([stage, (await relay.ledger.send(reclaim)).error]).toEqual([stage, 'DeadlineNotReached']);
      }
    }
    const relay = await Relay.initialised();
    const delivery = await staged(relay, 'ruled', { next: false });
    must(await relay.ledger.send(await relay.moves.crank(delivery)));
    const { error } = await relay.ledger.send(await relay.moves.reclaim(delivery));
    expect(error).toBe('DeadlineNotReached');
  });

  test('[T-38] the coordinator waits, also as the funder of what it sponsored', async ({ relay }) => {
    const delivery = await staged(relay, 'pending');
    const reclaim = await relay.moves.reclaim(delivery, relay.coordinator);
    expect((await relay.ledger.send(reclaim)).error).toBe('DeadlineNotReached');
    const sponsored = await relay.delivery(2, { funder: relay.coordinator });
    must(await relay.ledger.send(relay.list(sponsored, { terms: await terms() })));
    await relay.moves.pending(sponsored);
    const early = await relay.moves.reclaim(sponsored, relay.coordinator);
    expect((await relay.ledger.send(early)).error).toBe('DeadlineNotReached');
    must(await relay.ledger.send(await relay.moves.reclaim(sponsored, sponsored.shipper)));
  });

  test('[T-38] [P-54] a forming swarm with terms is reclaimed as any other', async ({ relay }) => {
    const delivery = await relay.forming(PAYMENTS, 2, await relay.moves.listed());
    must(await relay.ledger.send(await relay.reclaim(delivery, 2, delivery.shipper)));
    expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.Reclaimed });
  });

  test.each(['claimed', 'disputed', 'ruled'] as const)(
    '[T-37] a %s leg is paid or ruled before anybody reclaims',
    async (stage) => {
      const relay = await Relay.initialised();
      const delivery = await staged(relay, stage);
      for (const clock of [DEADLINE, DEADLINE + REVIEW + ARBITRATION, DEADLINE * 2n]) {
        await relay.ledger.setClock(clock);
        for (const signer of [delivery.shipper, delivery.funder, relay.coordinator]) {
          const { error } = await relay.ledger.send(await relay.moves.reclaim(delivery, signer));
          expect([clock, error]).toEqual([clock, 'ClaimPending']);
        }
      }
      // The funder ends it alone, and reclaims in the same transaction.
      const ends = await endOf(relay, delivery, stage);
      const reclaim = await relay.moves.reclaim(delivery);
      must(await relay.ledger.send(...ends, reclaim));
    },
  );

  test('[P-55] a package whose legs are completed is settled', async ({ relay }) => {
    const delivery = await staged(relay, 'accepted', { payments: [SOL] });
    must(await relay.ledger.send(await relay.moves.handoff(delivery, 0, 1)));
    await relay.ledger.setClock(DEADLINE);
    const reclaim = await relay.moves.reclaim(delivery, delivery.funder, 1);
    expect((await relay.ledger.send(reclaim)).error).toBe('LegsComplete');
    must(await relay.ledger.send(await relay.settle(delivery, 1, delivery.funder)));
  });

  test('[T-39] takes exactly the couriers of accepted legs, in index order', async ({ relay }) => {
    const delivery = await relay.moves.accepted([0, 1, 2]);
    const couriers = await Promise.all([0, 1, 2].map(async (index) => (await relay.courier(index)).address));
    const [first, second, third] = couriers as [(typeof couriers)[0], (typeof couriers)[0], (typeof couriers)[0]];
    const reclaim = await relay.moves.reclaim(delivery);
    for (const places of [8, 9, 10, 11, 12, 13]) {
      const { error } = await relay.ledger.send(truncated(reclaim, places));
      expect([places, error]).toEqual([places, 'InvalidLegCount']);
    }
    const wrong = [
      [second, first, third],
      [first, first, third],
      [first, second, delivery.funder.address],
      [first, second, delivery.vault],
      [first, second, delivery.swarm],
    ];
    for (const others of wrong) {
      const { error } = await relay.ledger.send(await relay.reclaim(delivery, 3, delivery.funder, others));
      expect(error).toBe('InvalidAccount');
    }
    const many = await relay.reclaim(delivery, 3, delivery.funder, [first, second, third, third]);
    expect((await relay.ledger.send(many)).error).toBe('InvalidLegCount');
    must(await relay.ledger.send(reclaim));
  });

  test('[T-39] legs without a waiting courier take none, and those without terms never', async ({ relay }) => {
    const courier = (await relay.courier(0)).address;
    const pending = await relay.moves.pending();
    expect((await relay.ledger.send(await relay.reclaim(pending, 3, pending.funder, [courier]))).error).toBe(
      'InvalidLegCount',
    );
    const plain = await relay.inTransit(PAYMENTS, await relay.listed(2));
    await relay.ledger.setClock(DEADLINE);
    expect((await relay.ledger.send(await relay.reclaim(plain, 3, plain.funder, [courier]))).error).toBe(
      'InvalidLegCount',
    );
    must(await relay.ledger.send(await relay.reclaim(plain, 3)));
  });

  test('[T-39] one courier of two legs gets both stakes, also when it funded the package', async ({ relay }) => {
    const courier = await relay.person('funder');
    const payments = PAYMENTS;
    const delivery = await relay.forming(payments, 0, await relay.moves.listed());
    for (const [index, payment] of payments.entries()) {
      const { address } = index === 1 ? await relay.courier(1) : courier;
      must(await relay.ledger.send(await relay.assign(delivery, index, address, payment)));
    }
    for (const index of [0, 2]) must(await relay.ledger.send(await relay.moves.accept(delivery, { index, courier })));
    const changes = await gains(relay, delivery, await relay.moves.reclaim(delivery));
    expect(changes).toMatchObject({ funder: SOL + RENT_OF_VAULT + 2n * STAKE });
  });

  test('[T-39] a wallet that was left empty gets its stake back', async ({ relay }) => {
    const courier = await keyOf('penniless courier');
    const delivery = await relay.forming([SOL], 0, await relay.moves.listed(1, { stake: LEAST_STAKE }));
    must(await relay.ledger.send(await relay.assign(delivery, 0, courier.address, SOL)));
    await relay.ledger.airdrop(courier.address, LEAST_STAKE);
    must(await relay.ledger.send(await relay.moves.accept(delivery, { courier })));
    must(await relay.ledger.send(await relay.moves.reclaim(delivery, delivery.funder, 1)));
    expect(await relay.lamports(courier.address)).toBe(LEAST_STAKE);
  });

  test.skipIf(CANNOT_FORGE)(
    '[T-39] what a courier or the rent payer cannot receive goes to the funder',
    async ({ relay }) => {
      const delivery = await relay.moves.accepted([0, 1]);
      await relay.makeProgram((await relay.courier(0)).address);
      const changes = await gains(relay, delivery, await relay.moves.reclaim(delivery));
      expect(changes).toMatchObject({ next: STAKE, funder: SOL + RENT_OF_VAULT + STAKE });
      expect(changes.courier).toBeUndefined();

      const again = await Relay.initialised();
      const same = await again.moves.accepted([0, 1]);
      const rent = await rentOf(again, same, 2n * STAKE);
      await again.makeProgram(again.coordinator.address);
      const all = await gains(again, same, await again.moves.reclaim(same));
      expect(all).toMatchObject({ courier: STAKE, next: STAKE, funder: SOL + RENT_OF_VAULT + rent });
    },
  );

  test('[T-38] [T-39] [P-9] stays open while paused, early and late, and is the end', async () => {
    for (const stage of ['pending', 'accepted', 'carried', 'vacant'] as const) {
      const relay = await Relay.initialised();
      const delivery = await staged(relay, stage);
      const [accept, crank] = [await relay.moves.accept(delivery), await relay.moves.handoff(delivery)];
      await relay.pause();
      if (stage === 'carried') await relay.ledger.setClock(DEADLINE);
      const reclaim = await relay.moves.reclaim(delivery);
      must(await relay.ledger.send(reclaim));
      for (const late of [reclaim, accept]) expect((await relay.ledger.send(late)).error).toBe('InvalidStatus');
      expect((await relay.ledger.send(crank)).error).toBe('InvalidAccountOwner');
    }
  });

  test('[T-38] a leaked coordinator and its courier cannot keep the budget from the shipper without its signature', async ({
    relay,
  }) => {
    const delivery = await relay.moves.pending(await relay.moves.listed(1, { flags: COSIGNED }));
    expect((await relay.ledger.send(await relay.moves.accept(delivery, { take: true }))).error).toBe(
      'MissingSignature',
    );
    await relay.moves.accepted([0, 1, 2], delivery);
    must(await relay.ledger.send(await relay.moves.reclaim(delivery, delivery.shipper)));
  });

  test('[T-37] the leg of another package is shown in vain', async ({ relay }) => {
    const delivery = await staged(relay, 'claimed');
    const other = await relay.moves.pending(await relay.moves.listed(2));
    await relay.ledger.setClock(DEADLINE);
    const reclaim = await relay.moves.reclaim(delivery);
    const shown = swapped(reclaim, 8, await relay.leg(other, 0));
    expect((await relay.ledger.send(shown)).error).toBe('InvalidAccount');
    const shifted = swapped(reclaim, 8, await relay.leg(delivery, 1));
    expect((await relay.ledger.send(shifted)).error).toBe('LegOutOfOrder');
  });
});

/** The moves that the funder alone sends so that the first leg is completed. */
async function endOf(relay: Relay, delivery: Delivery, stage: Stage) {
  const crank = signedBy(await relay.moves.crank(delivery), 0, delivery.funder);
  if (stage !== 'disputed') return [crank];
  const ruling = await relay.moves.rule(delivery, { form: 'default', percent: 50 });
  return [signedBy(ruling, 0, delivery.funder), crank];
}
