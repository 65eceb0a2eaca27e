import { LegStatus, PackageStatus } from '@legwork/program-client';
import type { Address, Instruction, KeyPairSigner } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, NOW, SOL, type Delivery } from './harness/delivery.js';
import { keyOf } from './harness/keys.js';
import { PAYMENTS } from './harness/moves.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { staged, type Stage } from './harness/stages.js';
import { signedBy } from './harness/tamper.js';
import { ARBITRATION, HANDOFF, INCINERATOR, REVIEW, STAKE } from './harness/terms.js';

const [FIFTH] = PAYMENTS as [bigint];
const RENT_OF_VAULT = 890_880n;
const STAGES: readonly Stage[] = ['pending', 'accepted', 'carried', 'claimed', 'disputed', 'ruled', 'vacant'];

/** From here on the program is paused, and the coordinator is somebody who does nothing good. */
async function forsaken(relay: Relay): Promise<void> {
  must(await relay.ledger.send(relay.setCoordinator((await relay.courier(4)).address)));
  await relay.pause();
}

/** The moves of one party alone, second by second. */
class Alone {
  readonly relay: Relay;
  readonly delivery: Delivery;
  readonly #signer: KeyPairSigner;
  now = NOW;

  constructor(relay: Relay, delivery: Delivery, signer: KeyPairSigner) {
    this.relay = relay;
    this.delivery = delivery;
    this.#signer = signer;
  }

  async at(second: bigint): Promise<void> {
    if (second > this.now) this.now = second;
    await this.relay.ledger.setClock(this.now);
  }

  async send(instruction: Instruction): Promise<void> {
    must(await this.relay.ledger.send(signedBy(instruction, 0, this.#signer)));
  }

  /** Whatever its stage is, the first leg is completed, or not contested. */
  async resolve(): Promise<void> {
    const { delivery, relay } = this;
    const { status, turn } = await relay.moves.leg(delivery);
    if (status === LegStatus.Disputed) {
      await this.at(turn.since + ARBITRATION);
      await this.send(await relay.moves.rule(delivery, { form: 'default', percent: 50 }));
    }
    if (status === LegStatus.Claimed) await this.at(turn.since + REVIEW);
    const contested = [LegStatus.Claimed, LegStatus.Disputed, LegStatus.Ruled];
    if (contested.includes(status)) await this.send(await relay.moves.crank(delivery));
  }

  async reclaim(): Promise<void> {
    const [first, swarm] = [await this.relay.moves.leg(this.delivery), await this.relay.swarm(this.delivery)];
    if (swarm.completedLegs > 0 || first.status === LegStatus.Carried) await this.at(DEADLINE);
    await this.send(await this.relay.moves.reclaim(this.delivery, this.#signer));
  }
}

/** Every account that a lamport of this package can be in. */
async function places(relay: Relay, delivery: Delivery): Promise<Address[]> {
  const couriers = await Promise.all([0, 1, 2, 4].map(async (index) => (await relay.courier(index)).address));
  const legs = await Promise.all(PAYMENTS.map((_, index) => relay.leg(delivery, index)));
  const people = [delivery.shipper, delivery.funder, relay.coordinator, await keyOf('arbiter')];
  const { package: address, vault, swarm } = delivery;
  const reputations = await Promise.all(couriers.slice(0, 3).map((courier) => relay.reputationOf(courier)));
  return [
    ...couriers,
    ...legs,
    ...people.map((person) => person.address),
    address,
    vault,
    swarm,
    ...reputations,
    INCINERATOR,
  ];
}

async function sum(relay: Relay, addresses: readonly Address[]): Promise<bigint> {
  let total = 0n;
  for (const address of addresses) total += await relay.lamports(address);
  return total;
}

async function expectEnd(relay: Relay, delivery: Delivery): Promise<void> {
  expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.Reclaimed });
  for (const index of PAYMENTS.keys()) {
    expect(await relay.ledger.account(await relay.leg(delivery, index))).toBeUndefined();
  }
  expect(await relay.ledger.account(delivery.vault)).toBeUndefined();
}

describe.skipIf(CANNOT_SET_TIME)('alone, the program paused and the coordinator gone', () => {
  test.each(['funder', 'shipper'] as const)(
    '[T-41] [T-43] the %s leaves from every stage, and no stake stays behind',
    async (role) => {
      for (const stage of STAGES) {
        const relay = await Relay.initialised();
        await relay.courier(4);
        const delivery = await staged(relay, stage);
        const all = await places(relay, delivery);
        const total = await sum(relay, all);
        const next = (await relay.courier(1)).address;
        const before = await relay.lamports(next);
        await forsaken(relay);

        const alone = new Alone(relay, delivery, delivery[role]);
        await alone.resolve();
        await alone.reclaim();

        await expectEnd(relay, delivery);
        const isUntouched = ['pending', 'accepted', 'vacant'].includes(stage);
        expect([stage, alone.now]).toEqual([stage, isUntouched ? NOW : DEADLINE]);
        expect(await relay.lamports(next)).toBe(before + STAKE);
        expect(await sum(relay, all)).toBe(total);
      }
    },
  );

  test('[T-41] the funder of what is only listed or forming leaves at once', async ({ relay }) => {
    await relay.courier(4);
    const listed = await relay.moves.listed(1);
    const forming = await relay.forming(PAYMENTS, 2, await relay.moves.listed(2));
    await forsaken(relay);
    must(await relay.ledger.send(relay.cancel(listed)));
    must(await relay.ledger.send(await relay.reclaim(forming, 2)));
    for (const { vault } of [listed, forming]) expect(await relay.ledger.account(vault)).toBeUndefined();
  });

  test('[T-41] [T-42] the courier of the first leg leaves or is paid: in full by silence, half of it by default', async () => {
    const paid = { carried: FIFTH, claimed: FIFTH, disputed: FIFTH / 2n, ruled: (FIFTH * 30n) / 100n } as const;
    for (const [stage, payment] of Object.entries(paid) as [keyof typeof paid, bigint][]) {
      const relay = await Relay.initialised();
      const courier = await relay.courier(0);
      await relay.courier(4);
      const delivery = await staged(relay, stage);
      const before = await relay.lamports(courier.address);
      await forsaken(relay);

      const alone = new Alone(relay, delivery, courier);
      if (stage === 'carried') {
        await alone.at(DEADLINE - 1n);
        await alone.send(await relay.moves.claim(delivery));
      }
      const { since } = (await relay.moves.leg(delivery)).turn;
      await alone.resolve();

      const stake = stage === 'ruled' ? 0n : STAKE;
      expect(await relay.lamports(courier.address)).toBe(before + payment + stake);
      expect(alone.now).toBeLessThanOrEqual(since + REVIEW + ARBITRATION);
    }
  });

  test('[T-41] a courier of a leg that is not picked up leaves at once, whatever the leg before is', async () => {
    for (const stage of STAGES) {
      const relay = await Relay.initialised();
      const courier = await relay.courier(1);
      await relay.courier(4);
      const delivery = await staged(relay, stage);
      const before = await relay.lamports(courier.address);
      await forsaken(relay);
      await relay.ledger.setClock(NOW + HANDOFF - 1n);
      must(await relay.ledger.send(await relay.moves.vacate(delivery, { index: 1 })));
      expect(await relay.lamports(courier.address)).toBe(before + STAKE);
    }
    const relay = await Relay.initialised();
    const delivery = await staged(relay, 'accepted', { next: false });
    await forsaken(relay);
    must(await relay.ledger.send(await relay.moves.vacate(delivery)));
  });

  test('[T-42] the latest end is the deadline, a review and an arbitration', async ({ relay }) => {
    await relay.courier(4);
    const delivery = await staged(relay, 'carried');
    await forsaken(relay);
    await relay.ledger.setClock(DEADLINE - 1n);
    must(await relay.ledger.send(await relay.moves.claim(delivery)));
    await relay.ledger.setClock(DEADLINE - 1n + REVIEW - 1n);
    must(await relay.ledger.send(await relay.moves.dispute(delivery)));

    const alone = new Alone(relay, delivery, delivery.funder);
    await alone.resolve();
    await alone.reclaim();

    await expectEnd(relay, delivery);
    expect(alone.now).toBe(DEADLINE - 2n + REVIEW + ARBITRATION);
  });

  test('[T-41] [T-42] a lister that disputes without reason, and an arbiter that is silent, take no half from who claims', async ({
    relay,
  }) => {
    await relay.courier(4);
    const courier = await relay.courier(0);
    const delivery = await staged(relay, 'claimed');
    const before = [await relay.lamports(courier.address), await relay.lamports(delivery.shipper.address)] as const;
    await forsaken(relay);
    await relay.ledger.setClock(NOW + REVIEW - 1n);
    must(await relay.ledger.send(await relay.moves.dispute(delivery)));
    await new Alone(relay, delivery, courier).resolve();
    expect(await relay.lamports(courier.address)).toBe(before[0] + STAKE + FIFTH / 2n);
    expect(await relay.lamports(delivery.shipper.address)).toBe(before[1] - STAKE / 2n);
  });
});

test.skipIf(CANNOT_SET_TIME)(
  '[T-43] [T-27] the vault covers the total less what it paid, after forfeits, replacements and rulings',
  async ({ relay }) => {
    const { ledger, moves } = relay;
    await relay.person('arbiter');
    const stranger = await relay.person('stranger');
    const delivery = await moves.accepted([0, 1, 2]);
    const all = [...(await places(relay, delivery)), (await relay.courier(3)).address];
    const third = await relay.reputationOf((await relay.courier(3)).address);
    must(await ledger.send(await relay.openReputation((await relay.courier(3)).address, relay.coordinator)));
    const total = await sum(relay, [...all, third]);
    const covered = async () => {
      const { totalLamports, assignedLamports, paidLamports } = await relay.swarm(delivery);
      expect(assignedLamports).toBeLessThanOrEqual(totalLamports);
      const vault = (await relay.lamports(delivery.vault)) - RENT_OF_VAULT;
      expect(vault).toBeGreaterThanOrEqual(totalLamports - paidLamports);
      expect(await sum(relay, [...all, third])).toBe(total);
    };
    const send = async (instruction: Promise<Instruction>) => {
      must(await ledger.send(await instruction));
      await covered();
    };

    await ledger.setClock(NOW + 7_200n);
    await send(moves.vacate(delivery, { signer: stranger }));
    const courier = await relay.courier(3);
    await send(moves.replace(delivery, 0, courier.address, { paymentLamports: FIFTH + STAKE }));
    await send(moves.accept(delivery, { courier, formation: 2, take: true }));
    await send(moves.claim(delivery, { courier, formation: 2 }));
    await send(moves.dispute(delivery, { formation: 2 }));
    await send(moves.rule(delivery, { courier, formation: 2, percent: 33 }));
    await send(moves.crank(delivery));
    await send(moves.accept(delivery, { index: 1, take: true }));
    await send(moves.handoff(delivery, 1));
    await send(moves.handoff(delivery, 2));
    const paid = ((FIFTH + STAKE) * 33n) / 100n + 2n * FIFTH;
    expect(await relay.package(delivery)).toMatchObject({ paid });
    const before = await relay.lamports(delivery.funder.address);
    must(await ledger.send(await relay.settle(delivery, 3)));
    expect(await relay.lamports(delivery.funder.address)).toBe(before + SOL + STAKE - paid + RENT_OF_VAULT);
    expect(await sum(relay, [...all, third])).toBe(total);
  },
);
