import { LegStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, NOW, SOL, type Delivery } from './harness/delivery.js';
import { testGuards } from './harness/guards.js';
import { PAYMENTS } from './harness/moves.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped } from './harness/tamper.js';
import { CARRY, HANDOFF, STAKE } from './harness/terms.js';

const TOTAL = PAYMENTS.reduce((sum, payment) => sum + payment, 0n);

/** A leg whose clock runs: which one, and the second from which on others may vacate it. */
interface Clock {
  readonly prepare: (relay: Relay) => Promise<Delivery>;
  readonly index: number;
  readonly end: bigint;
  /** The refusal that its courier gets from that second on: with nothing to lose, it may still leave. */
  readonly late: string | undefined;
}

const CLOCKS: Readonly<Record<string, Clock>> = {
  'the first leg, pending': { prepare: ({ moves }) => moves.pending(), index: 0, end: NOW + HANDOFF, late: undefined },
  'another leg, pending': { prepare: ({ moves }) => moves.pending(), index: 2, end: NOW + HANDOFF, late: undefined },
  'the first leg, accepted': {
    prepare: async ({ ledger, moves }) => {
      const delivery = await moves.pending();
      await ledger.setClock(NOW + 10n);
      return moves.accepted([0], delivery);
    },
    index: 0,
    end: NOW + 10n + CARRY,
    late: 'LegOverdue',
  },
  'the leg after a claimed one, accepted before the claim': {
    prepare: async ({ ledger, moves }) => {
      const delivery = await moves.accepted([1]);
      await ledger.setClock(NOW + 20n);
      return moves.claimed(delivery);
    },
    index: 1,
    end: NOW + 20n + HANDOFF,
    late: 'LegOverdue',
  },
  'the leg after a claimed one, accepted after the claim': {
    prepare: async ({ ledger, moves }) => {
      const delivery = await moves.claimed();
      await ledger.setClock(NOW + 30n);
      return moves.accepted([1], delivery);
    },
    index: 1,
    end: NOW + 30n + HANDOFF,
    late: 'LegOverdue',
  },
};

describe('vacate', () => {
  testGuards(async (relay) => {
    const delivery = await relay.moves.accepted([1], await relay.moves.claimed());
    return {
      instruction: await relay.moves.vacate(delivery, { index: 1 }),
      owned: { InvalidAccountOwner: [1, 2, 3, 6] },
      strangers: { LegInTime: [0], InvalidAccountOwner: [1, 2, 3, 6], InvalidAccount: [4, 5] },
      fixedAccounts: 7,
    };
  });

  test.skipIf(CANNOT_SET_TIME)('[T-10] [T-18] a courier leaves in time with its stake', async () => {
    for (const [index, isAccepted] of [0, 2].flatMap((leg) => [[leg, false] as const, [leg, true] as const])) {
      const relay = await Relay.initialised();
      const delivery = await (isAccepted ? relay.moves.accepted([index]) : relay.moves.pending());
      const [leg, courier] = [await relay.leg(delivery, index), (await relay.courier(index)).address];
      const before = [await relay.lamports(leg), await relay.lamports(courier)] as const;
      await relay.ledger.setClock(NOW + 5n);

      must(await relay.ledger.send(await relay.moves.vacate(delivery, { index })));

      const returned = isAccepted ? STAKE : 0n;
      expect(await relay.lamports(leg)).toBe(before[0] - returned);
      expect(await relay.lamports(courier)).toBe(before[1] + returned);
      expect(await relay.moves.leg(delivery, index)).toMatchObject({
        status: LegStatus.Vacant,
        courier,
        turn: { since: NOW + 5n, formation: 1 },
      });
      expect(await relay.swarm(delivery)).toMatchObject({ totalLamports: TOTAL, assignedLamports: TOTAL });
    }
  });

  test.skipIf(CANNOT_SET_TIME).each(Object.entries(CLOCKS))(
    '[T-10] [T-11] %s: its courier until the second before the clock, anyone from then on',
    async (_, { prepare, index, end, late }) => {
      const errorAt = async (time: bigint, name?: string) => {
        const relay = await Relay.initialised();
        const delivery = await prepare(relay);
        const signer = name === undefined ? {} : { signer: await relay.person(name) };
        await relay.ledger.setClock(time);
        return (await relay.ledger.send(await relay.moves.vacate(delivery, { index, ...signer }))).error;
      };
      expect(await errorAt(end - 1n)).toBeUndefined();
      expect(await errorAt(end - 1n, 'stranger')).toBe('LegInTime');
      expect(await errorAt(end)).toBe(late);
      expect(await errorAt(end, 'stranger')).toBeUndefined();
    },
  );

  test.skipIf(CANNOT_SET_TIME).each(['pending', 'accepted', 'carried', 'disputed'] as const)(
    '[T-11] after a leg that is %s an accepted one has no clock, and its courier may leave',
    async (stage) => {
      const relay = await Relay.initialised();
      const delivery = await relay.moves.accepted([1, 2], await relay.moves[stage]());
      await relay.ledger.setClock(DEADLINE + 365n * 86_400n);
      for (const index of [1, 2]) {
        const byStranger = await relay.moves.vacate(delivery, { index, signer: await relay.person('stranger') });
        expect((await relay.ledger.send(byStranger)).error).toBe('LegInTime');
        expect((await relay.ledger.send(await relay.moves.vacate(delivery, { index }))).error).toBeUndefined();
      }
    },
  );

  test('[T-11] the leg before is shown, and is the one before', async ({ relay }) => {
    const delivery = await relay.moves.accepted([1], await relay.moves.claimed());
    const other = await relay.moves.claimed(await relay.moves.pending(await relay.moves.listed(2)));
    const vacate = await relay.moves.vacate(delivery, { index: 1 });
    const shown = [
      [await relay.leg(delivery, 1), 'InvalidAccount'],
      [await relay.leg(delivery, 2), 'InvalidAccount'],
      [await relay.leg(other, 0), 'InvalidAccount'],
      [relay.programAddress, 'InvalidAccountOwner'],
    ] as const;
    for (const [address, error] of shown) {
      expect([address, (await relay.ledger.send(swapped(vacate, 6, address))).error]).toEqual([address, error]);
    }
    must(await relay.ledger.send(vacate));
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-12] a stake that was not fetched in time goes to the vault and the pool',
    async ({ relay }) => {
      const delivery = await relay.moves.accepted();
      const [leg, courier] = [await relay.leg(delivery, 0), (await relay.courier(0)).address];
      const before = [await relay.lamports(leg), await relay.lamports(courier)] as const;
      await relay.ledger.setClock(NOW + CARRY);

      const signer = await relay.person('stranger');
      must(await relay.ledger.send(await relay.moves.vacate(delivery, { signer })));

      expect(await relay.lamports(leg)).toBe(before[0] - STAKE);
      expect(await relay.lamports(courier)).toBe(before[1]);
      expect(await relay.lamports(delivery.vault)).toBe(SOL + 890_880n + STAKE);
      const pool = { totalLamports: TOTAL + STAKE, assignedLamports: TOTAL, paidLamports: 0n };
      expect(await relay.swarm(delivery)).toMatchObject(pool);
      expect(await relay.moves.leg(delivery)).toMatchObject({ status: LegStatus.Vacant, turn: { since: NOW + CARRY } });
    },
  );

  test.skipIf(CANNOT_SET_TIME)('[T-12] a pending leg forfeits nothing', async ({ relay }) => {
    const delivery = await relay.moves.pending();
    await relay.ledger.setClock(NOW + HANDOFF);
    must(await relay.ledger.send(await relay.moves.vacate(delivery, { signer: await relay.person('stranger') })));
    expect(await relay.swarm(delivery)).toMatchObject({ totalLamports: TOTAL });
    expect(await relay.lamports(delivery.vault)).toBe(SOL + 890_880n);
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-13] only the lister vacates who carries the parcel, once its clock is over',
    async ({ relay }) => {
      const delivery = await relay.moves.carried();
      const byLister = await relay.moves.vacate(delivery, { signer: delivery.shipper });
      for (const time of [NOW, NOW + CARRY, DEADLINE]) {
        await relay.ledger.setClock(time);
        for (const signer of [await relay.courier(0), delivery.funder, relay.coordinator]) {
          const vacate = await relay.moves.vacate(delivery, { signer });
          expect((await relay.ledger.send(vacate)).error).toBe('Unauthorized');
        }
      }
      await relay.ledger.setClock(NOW + CARRY - 1n);
      expect((await relay.ledger.send(byLister)).error).toBe('LegInTime');
      await relay.ledger.setClock(NOW + CARRY);
      must(await relay.ledger.send(byLister));
      expect(await relay.swarm(delivery)).toMatchObject({ totalLamports: TOTAL + STAKE });
    },
  );

  test.skipIf(CANNOT_SET_TIME)('[T-13] refuses a leg that is claimed, disputed or vacant', async ({ relay }) => {
    const { moves } = relay;
    const deliveries = [];
    for (const [number, stage] of (['claimed', 'disputed', 'vacant'] as const).entries()) {
      deliveries.push(await moves[stage](await moves.pending(await moves.listed(number))));
    }
    await relay.ledger.setClock(DEADLINE);
    for (const delivery of deliveries) {
      for (const signer of [await relay.courier(0), delivery.shipper, await relay.person('stranger')]) {
        expect((await relay.ledger.send(await moves.vacate(delivery, { signer }))).error).toBe('InvalidStatus');
      }
    }
  });

  test.skipIf(CANNOT_FORGE)(
    '[T-17] a stake that the wallet cannot receive goes to the vault, outside the pool',
    async ({ relay }) => {
      const delivery = await relay.moves.accepted();
      const leg = await relay.leg(delivery, 0);
      const before = await relay.lamports(leg);
      const courier = await relay.courier(0);
      const vacate = await relay.moves.vacate(delivery);
      await relay.makeProgram(courier.address);

      must(await relay.ledger.send(vacate));

      expect(await relay.lamports(leg)).toBe(before - STAKE);
      expect(await relay.lamports(delivery.vault)).toBe(SOL + 890_880n + STAKE);
      expect(await relay.swarm(delivery)).toMatchObject({ totalLamports: TOTAL });
    },
  );

  test.skipIf(CANNOT_SET_TIME)('a leg is vacated after the deadline too', async ({ relay }) => {
    const delivery = await relay.moves.accepted([0, 1]);
    await relay.ledger.setClock(DEADLINE);
    must(await relay.ledger.send(await relay.moves.vacate(delivery, { index: 1 })));
    must(await relay.ledger.send(await relay.moves.vacate(delivery, { signer: await relay.person('stranger') })));
    for (const index of [0, 1]) {
      expect(await relay.moves.leg(delivery, index)).toMatchObject({ status: LegStatus.Vacant });
    }
  });

  test('[T-5] refuses the number of another courier of the leg', async ({ relay }) => {
    const vacate = await relay.moves.vacate(await relay.moves.accepted(), { formation: 2 });
    expect((await relay.ledger.send(vacate)).error).toBe('FormationMismatch');
  });
});
