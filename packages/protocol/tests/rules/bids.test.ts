import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BidTarget,
  type BidTerms,
  bidExpiresAtMs,
  checkBid,
  checkReceivable,
  isBidStanding,
} from '../../src/rules/bids.js';
import { checkDeadline, checkSponsoredDeadline, minutesUntil } from '../../src/rules/deadline.js';
import { estimatedDurationMin, greatCircleKm } from '../../src/rules/geo.js';
import { SOL, toLamports } from '../../src/contract/money.js';
import { PACKAGE_STATUSES } from '../../src/contract/statuses.js';

const NOW = Date.UTC(2026, 0, 1);
const target: BidTarget = {
  status: 'listed',
  shipperPubkey: 'shipper',
  budgetLamports: toLamports(1_000_000_000n),
  asset: SOL,
  deadlineMs: NOW + 3_600_000,
};
const bid: BidTerms = {
  agentPubkey: 'courier',
  pickup: { lat: 52.521918, lng: 13.413215 },
  dropoff: { lat: 52.507222, lng: 13.332778 },
  distanceKm: 6.5,
  costLamports: toLamports(250_000_000n),
};
const fault = (change: Partial<BidTerms>, to: Partial<BidTarget> = {}) =>
  checkBid({ ...bid, ...change }, { ...target, ...to }, NOW);

describe('a bid', () => {
  it('[M-16] within the budget on a listed package is taken', () => {
    expect(fault({})).toBeUndefined();
    expect(fault({ costLamports: target.budgetLamports })).toBeUndefined();
    expect(fault({ costLamports: toLamports(1n) })).toBeUndefined();
  });

  it('[M-16] above the budget or below one lamport is refused with the bound', () => {
    expect(fault({ costLamports: toLamports(1_000_000_001n) })).toMatchObject({
      code: 'bid_above_budget',
      field: 'costSol',
      message: expect.stringContaining('bid at most 1 SOL'),
    });
    expect(fault({ costLamports: toLamports(0n) })).toMatchObject({ code: 'invalid_input', field: 'costSol' });
  });

  it('[M-17] on one’s own package is refused', () => {
    expect(fault({ agentPubkey: 'shipper' })).toMatchObject({ code: 'self_dealing', field: 'agentPubkey' });
  });

  it('[M-17] is taken only while the package is listed', () => {
    for (const status of PACKAGE_STATUSES.filter((each) => each !== 'listed')) {
      expect(fault({}, { status })).toMatchObject({ code: 'invalid_status', message: expect.stringContaining(status) });
    }
  });

  it('[M-17] is refused from the deadline on', () => {
    expect(fault({}, { deadlineMs: NOW + 1 })).toBeUndefined();
    expect(fault({}, { deadlineMs: NOW })).toMatchObject({ code: 'deadline_passed' });
  });

  it('[M-7] of less than 90 % of the great circle is refused, naming a distance that passes', () => {
    const place = fc.record({
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      lng: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    fc.assert(
      fc.property(place, place, (pickup, dropoff) => {
        fc.pre(greatCircleKm(pickup, dropoff) > 0.01);
        const short = greatCircleKm(pickup, dropoff) * 0.8999;
        const refused = fault({ pickup, dropoff, distanceKm: short });
        expect(refused).toMatchObject({ code: 'invalid_input', field: 'distanceKm' });
        const named = Number(/at least ([\d.]+):/.exec(refused?.message ?? '')?.[1]);
        expect(fault({ pickup, dropoff, distanceKm: named })).toBeUndefined();
        expect(fault({ pickup, dropoff, distanceKm: greatCircleKm(pickup, dropoff) * 0.9001 })).toBeUndefined();
      }),
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('[M-7] of %s km is refused', (distanceKm) => {
    expect(fault({ distanceKm })).toMatchObject({ code: 'invalid_input', field: 'distanceKm' });
  });

  it('[M-15] stands 30 s to a day, 10 minutes unless it says otherwise', () => {
    expect(bidExpiresAtMs(NOW)).toBe(NOW + 600_000);
    expect(bidExpiresAtMs(NOW, 30)).toBe(NOW + 30_000);
    for (const expiresInSec of [30, 86_400]) {
      expect(fault({ expiresInSec })).toBeUndefined();
    }
    for (const expiresInSec of [29, 86_401, 60.5, Number.NaN]) {
      expect(fault({ expiresInSec })).toMatchObject({ code: 'invalid_input', field: 'expiresInSec' });
    }
  });

  it('[M-36] that names no time stands 10 minutes beyond an open bidding window', () => {
    expect(bidExpiresAtMs(NOW, undefined, NOW + 1)).toBe(NOW + 600_001);
    expect(bidExpiresAtMs(NOW, undefined, NOW - 1)).toBe(NOW + 600_000);
    expect(bidExpiresAtMs(NOW, 60, NOW + 1)).toBe(NOW + 60_000);
  });

  it('[M-36] with the longest time does not outlast a window of a whole day, and is told to leave the time out', () => {
    const refused = fault({ expiresInSec: 86_400 }, { biddingClosesAtMs: NOW + 86_400_000 });
    expect(refused?.message).toContain('leave it out');
  });

  it('[M-36] that would not stand when the window closes is refused, naming the least that would do', () => {
    const window = fc.integer({ min: 1, max: 86_399_999 });
    fc.assert(
      fc.property(window, fc.integer({ min: 30, max: 86_400 }), (windowMs, expiresInSec) => {
        const to = { biddingClosesAtMs: NOW + windowMs };
        const refused = fault({ expiresInSec }, to);
        expect(refused === undefined).toBe(expiresInSec * 1000 > windowMs);
        if (refused === undefined) return;
        expect(refused).toMatchObject({ code: 'invalid_input', field: 'expiresInSec' });
        const least = Number(/give at least (\d+)/.exec(refused.message)?.[1]);
        expect(fault({ expiresInSec: least }, to)).toBeUndefined();
        expect(least === 30 || fault({ expiresInSec: least - 1 }, to) !== undefined).toBe(true);
      }),
    );
  });

  it('[M-15] stands until the instant it expires', () => {
    expect(isBidStanding(NOW + 1, NOW)).toBe(true);
    expect(isBidStanding(NOW, NOW)).toBe(false);
  });

  it('[M-18] whose payment an empty wallet could not receive is refused with the lamports that are missing', () => {
    const check = (cost: bigint) => checkReceivable(toLamports(cost), toLamports(890_880n));
    expect(check(890_880n)).toBeUndefined();
    expect(check(890_000n)).toMatchObject({
      code: 'unreceivable_payment',
      field: 'costSol',
      message: expect.stringContaining('880 lamports (0.00000088 SOL)'),
    });
  });
});

describe('a deadline', () => {
  it('[M-19] lies 10 minutes to 180 days after listing', () => {
    const after = (sec: number) => checkDeadline(NOW + sec * 1000, NOW);
    expect(after(600)).toBeUndefined();
    expect(after(180 * 86_400)).toBeUndefined();
    expect(after(599.999)).toMatchObject({ code: 'invalid_input', field: 'deadline' });
    expect(after(180 * 86_400 + 0.001)?.message).toContain('2026-01-01T00:10:00.000Z');
    expect(after(Number.NaN)).toMatchObject({ field: 'deadline' });
  });

  it('[M-70] of what the coordinator funds lies at most 7 days after the posting', () => {
    const after = (sec: number) => checkSponsoredDeadline(NOW + sec * 1000, NOW);
    expect(after(7 * 86_400)).toBeUndefined();
    expect(after(7 * 86_400 + 0.001)).toEqual({
      code: 'invalid_input',
      field: 'deadline',
      message: expect.stringContaining('until 2026-01-08T00:00:00.000Z'),
    });
  });

  it('[M-20] leaves whole minutes, and a chain takes the sum of its legs’ rounded minutes', () => {
    expect(minutesUntil(NOW + 119_999, NOW)).toBe(1);
    expect(minutesUntil(NOW - 1, NOW)).toBe(-1);
    const minutes = [0.25, 0.24, 30].map(estimatedDurationMin);
    expect(minutes.reduce((sum, each) => sum + each)).toBe(61);
  });
});
