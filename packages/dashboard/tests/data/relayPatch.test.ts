import type { Relay, LegworkEvent } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterEvent } from '../../src/data/relayPatch.js';
import { anEvent } from './anEvent.js';
import { agents, aRelay } from './aRelay.js';

/** The events of a package on its way, from the first handoff to the last. */
const handoffs = (legs: number): LegworkEvent[] => [
  ...Array.from({ length: legs }, (_, legIndex) =>
    anEvent('LEG_CONFIRMED', {
      seq: legIndex + 1,
      legIndex,
      agentPubkey: agents[legIndex] ?? '',
      paymentLamports: 1n as Relay['paidLamports'],
      occurredAt: new Date(1_000 * (legIndex + 1)),
    }),
  ),
  anEvent('PACKAGE_DELIVERED', { seq: legs + 1 }),
];

const after = (relays: readonly Relay[], events: readonly LegworkEvent[]) => events.reduce(afterEvent, relays);

describe('a row of the map after an event', () => {
  it('shows the next courier, since when, and what was paid (D-7)', () => {
    const [relay] = after([aRelay(3)], handoffs(3).slice(0, 1));
    expect(relay).toMatchObject({
      completedLegs: 1,
      holder: agents[1],
      paid: 1n,
      legStartedAt: new Date(1_000),
    });
    expect(relay?.estimatedDurationMin).toBeGreaterThan(0);
    expect(relay?.legs.map(({ status }) => status)).toEqual(['completed', 'pending', 'pending']);
  });

  it('with terms shows who has it from the pickup on, and nobody after a leg that silence has paid (D-7)', () => {
    const [plain] = [aRelay(2)];
    const bound = { ...plain, holder: null, legs: plain.legs.map((leg) => ({ ...leg, stage: 'accepted' as const })) };
    const [first, second] = [0, 1].map((legIndex) => {
      const who = { legIndex, agentPubkey: agents[legIndex] ?? '', occurredAt: new Date(5_000 * (legIndex + 1)) };
      return { carried: anEvent('LEG_CARRIED', who), confirmed: anEvent('LEG_CONFIRMED', who) };
    });
    if (!first || !second) throw new Error('there are two');
    const [taken] = after([bound], [first.carried]);
    expect(taken).toMatchObject({ holder: agents[0], legStartedAt: new Date(5_000) });
    expect(after([taken ?? bound], [first.carried])).toEqual([taken]);
    const [paid] = after([taken ?? bound], [first.confirmed]);
    expect(paid).toMatchObject({ holder: null, legStartedAt: null, completedLegs: 1 });
    expect(paid?.legs.map(({ stage }) => stage)).toEqual(['completed', 'accepted']);
    const [handed] = after([paid ?? bound], [second.carried]);
    expect(handed).toMatchObject({ holder: agents[1], legStartedAt: new Date(10_000) });
    expect(after([handed ?? bound], [first.carried, first.confirmed, second.carried])).toEqual([handed]);
  });

  it('is the same however often events come again, from wherever the stream goes on (D-7)', () => {
    const scenario = fc
      .integer({ min: 1, max: 7 })
      .chain((legs) => fc.record({ legs: fc.constant(legs), seen: fc.nat(legs + 1), from: fc.nat(legs + 1) }));
    fc.assert(
      fc.property(scenario, ({ legs, seen, from }) => {
        const events = handoffs(legs);
        const once = after([aRelay(legs)], events);
        const known = after([aRelay(legs)], events.slice(0, seen));
        expect(after(known, events.slice(Math.min(from, seen)))).toEqual(once);
        expect(once[0]).toMatchObject({
          status: 'delivered',
          completedLegs: legs,
          paid: BigInt(legs),
          holder: null,
        });
      }),
    );
  });

  it('goes when the package failed, and is left alone by other packages, chains and events', () => {
    const relays = [aRelay(2)];
    expect(after(relays, [anEvent('PACKAGE_FAILED')])).toEqual([]);
    const other = '018f0000-0000-7000-8000-000000000002';
    expect(after(relays, [anEvent('PACKAGE_FAILED', { packageId: other })])).toBe(relays);
    expect(after(relays, [anEvent('LEG_CONFIRMED', { agentPubkey: agents[5] ?? '' })])).toBe(relays);
    expect(after(relays, [anEvent('LEG_CONFIRMED', { legIndex: 6 })])).toBe(relays);
    expect(after(relays, [anEvent('BID_STORED'), anEvent('SWARM_FORMED')])).toBe(relays);
  });
});
