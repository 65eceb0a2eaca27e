import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOut } from '../../../src/rules/route/field.js';
import { leastThrough } from '../../../src/rules/route/lowerBounds.js';
import { Rings } from '../../../src/rules/route/rings.js';
import { TimeBound } from '../../../src/rules/route/timeBound.js';
import { bidsOf, packageOver } from './line.js';

describe('the bounds by rings around the origin', () => {
  it('[M-24] are never above the least that a way through the bid asks, wherever its places lie', () => {
    // Whole millionths of a degree: arbitrary doubles are nearly all next to nothing.
    const millionths = (most: number) => fc.integer({ min: -most, max: most }).map((whole) => whole / 1e6);
    const handoffs = fc.tuple(millionths(20_000), millionths(30_000));
    const offer = fc.record({
      from: fc.nat(6),
      by: fc.constantFrom(1, 1, 1, 2, 3, -1),
      cost: fc.bigInt({ min: 1n, max: 100n }),
      off: fc.tuple(handoffs, handoffs),
    });
    fc.assert(
      fc.property(fc.array(offer, { minLength: 5, maxLength: 60 }), fc.integer({ min: 0, max: 7 }), (offers, stops) => {
        const target = packageOver(stops, 10_000n);
        const plain = bidsOf(offers.map(({ from, by, cost }) => ({ from, to: from + by, cost })));
        const shifted = ({ lat, lng }: { lat: number; lng: number }, [north, east]: readonly [number, number]) => ({
          lat: lat + north,
          lng: lng + east,
        });
        const field = layOut(
          target,
          plain.map((bid, index) => ({
            ...bid,
            pickup: shifted(bid.pickup, offers[index]?.off[0] ?? [0, 0]),
            dropoff: shifted(bid.dropoff, offers[index]?.off[1] ?? [0, 0]),
          })),
        );
        const within = { ceiling: Number.POSITIVE_INFINITY, isLeftOut: () => false };
        const exact = leastThrough(field, field.weight, within, new TimeBound(() => 0, 1));
        const bounds = new Rings(field).leastThrough(field.weight);
        expect([...bounds].filter((bound, index) => bound > (exact?.[index] ?? 0))).toEqual([]);
      }),
      {
        numRuns: 300,
      },
    );
  });

  it('[M-24] are the exact amounts along a line', () => {
    const bids = bidsOf([
      { from: 0, to: 1, cost: 1n },
      { from: 1, to: 2, cost: 1n },
      { from: 0, to: 2, cost: 5n },
      { from: 1, to: 2, cost: 7n },
    ]);
    const field = layOut(packageOver(2, 100n), bids);
    expect([...new Rings(field).leastThrough(field.cost)].slice(0, 4)).toEqual([2, 2, 5, 8]);
  });
});
