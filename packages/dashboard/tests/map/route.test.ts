import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mercator } from '../../src/map/geometry.js';
import { fadedSteps, isLive, nextFrameMs, parcelOf } from '../../src/map/route.js';
import { BERLIN, HONOLULU, MINUTE, POTSDAM, route, START, TOKYO } from './relay.js';

const at = ([lat, lng]: readonly [number, number]) => mercator({ lat, lng });

describe('where a parcel is drawn', () => {
  it('is its share of the estimated time along the leg since the last handoff (D-20)', () => {
    const carried = route([TOKYO, BERLIN, POTSDAM], { completed: 1, minutes: 20 });
    const [from, to] = [at(BERLIN), at(POTSDAM)];
    const parcel = parcelOf(carried, START + 5 * MINUTE);
    expect(parcel.x).toBeCloseTo(from.x + (to.x - from.x) / 4, 12);
    expect(parcel.y).toBeCloseTo(from.y + (to.y - from.y) / 4, 12);
    expect(parcel.isOverdue).toBe(false);
  });

  it('stays at the end of the leg once the estimate has passed, and is said to be overdue (D-20)', () => {
    const carried = route([BERLIN, POTSDAM], { minutes: 20 });
    for (const minutes of [20, 21, 10_000]) {
      const parcel = parcelOf(carried, START + minutes * MINUTE);
      expect(parcel).toEqual({ ...at(POTSDAM), isOverdue: true });
    }
  });

  it('never leaves the leg, whatever the clocks and the estimate say (D-20)', () => {
    const [from, to] = [at(BERLIN), at(POTSDAM)];
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 90_000 }), fc.integer({ min: -1e12, max: 1e12 }), (minutes, after) => {
        const { x, y } = parcelOf(route([BERLIN, POTSDAM], { minutes }), START + after);
        expect(x).toBeGreaterThanOrEqual(Math.min(from.x, to.x));
        expect(x).toBeLessThanOrEqual(Math.max(from.x, to.x));
        expect(y).toBeGreaterThanOrEqual(Math.min(from.y, to.y));
        expect(y).toBeLessThanOrEqual(Math.max(from.y, to.y));
      }),
    );
  });

  it('is where the ledger has it, when nobody walks (D-20)', () => {
    const now = START + MINUTE;
    expect(parcelOf(route([BERLIN, POTSDAM], { status: 'listed' }), now)).toEqual({ ...at(BERLIN), isOverdue: false });
    expect(parcelOf(route([BERLIN, POTSDAM], { status: 'delivered', completed: 1 }), now)).toMatchObject(at(POTSDAM));
    expect(parcelOf(route([TOKYO, BERLIN, POTSDAM], { status: 'failed', completed: 1 }), now)).toMatchObject(
      at(BERLIN),
    );
    expect(parcelOf(route([BERLIN, POTSDAM], { status: 'swarm_forming' }), now)).toMatchObject(at(BERLIN));
  });
});

describe('a route', () => {
  it('says of each leg whether it is done, walked or to come (D-21)', () => {
    const states = (...given: Parameters<typeof route>) => route(...given).legs.map(({ state }) => state);
    const places = [BERLIN, POTSDAM, BERLIN, TOKYO];
    expect(states(places, { completed: 1 })).toEqual(['done', 'current', 'to come']);
    expect(states(places, { status: 'delivered', completed: 3 })).toEqual(['done', 'done', 'done']);
    expect(states(places, { status: 'failed', completed: 1 })).toEqual(['done', 'to come', 'to come']);
    expect(states([BERLIN, POTSDAM], { status: 'listed' })).toEqual(['offered']);
  });

  it('crosses the antimeridian instead of the world', () => {
    const { legs, destination } = route([TOKYO, HONOLULU]);
    expect(legs[0]?.to.x).toBeGreaterThan(1);
    expect(destination.x).toBe(legs[0]?.to.x);
  });

  it('is live until it is delivered or has failed (D-22)', () => {
    const statuses = ['listed', 'swarm_forming', 'in_transit', 'delivered', 'failed'] as const;
    const live = statuses.filter((status) => isLive(route([BERLIN, POTSDAM], { status })));
    expect(live).toEqual(['listed', 'swarm_forming', 'in_transit']);
  });
});

describe('the next picture', () => {
  const carried = route([BERLIN, POTSDAM], { minutes: 20 });

  it('comes when the quickest parcel has moved half a pixel (D-23)', () => {
    const { legs } = carried;
    const [leg] = legs;
    if (!leg) throw new Error('there is a leg');
    const world = 1_000_000;
    const px = Math.hypot(leg.to.x - leg.from.x, leg.to.y - leg.from.y) * world;
    expect(nextFrameMs([carried], world, START)).toBeCloseTo((20 * MINUTE) / px / 2, 6);
  });

  it('comes at most with every frame of the screen, and at least once a second (D-23)', () => {
    expect(nextFrameMs([carried], 1e12, START)).toBe(16);
    expect(nextFrameMs([carried], 100, START)).toBe(1000);
    expect(nextFrameMs([], 1e12, START)).toBe(1000);
    expect(nextFrameMs([carried], 1e12, START + 20 * MINUTE)).toBe(1000);
  });
});

it('fades what was delivered in four steps of ten minutes, and nothing else does (D-21)', () => {
  const minutes = (count: number) => fadedSteps({ endedAt: 0 }, count * 60_000);
  expect([-1, 0, 9, 10, 25, 40, 4_000].map(minutes)).toEqual([0, 0, 0, 1, 2, 4, 4]);
  expect(fadedSteps({ endedAt: undefined }, 4e9)).toBe(0);
});
