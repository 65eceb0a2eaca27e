import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toLamports } from '../../../src/contract/money.js';
import { findBestRoute } from '../../../src/rules/route/bestRoute.js';
import { chainFault } from '../../../src/rules/route/chainFault.js';
import { bidsOf, NOW, type Offer, packageOver, still, stop } from './line.js';

const chain = bidsOf([
  { from: 0, to: 1, cost: 10n, km: 5 },
  { from: 1, to: 2, cost: 20n, km: 5 },
]);
const [first, second] = chain;
if (!first || !second) throw new Error('two bids');

describe('a chain that was chosen', () => {
  it('[M-20, M-21] has no fault, whatever the bids', () => {
    const offer: fc.Arbitrary<Offer> = fc.record({
      from: fc.nat(4),
      to: fc.nat(4),
      cost: fc.bigInt(1n, 50n),
      agent: fc.nat(6),
      km: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(fc.array(offer, { maxLength: 12 }), fc.nat(90), (offers, minutes) => {
        const target = packageOver(3, 100n, minutes);
        const { bids } = findBestRoute(target, bidsOf(offers), still);
        expect(chainFault(target, bids, NOW)).toBe(bids.length === 0 ? 'it has 0 legs' : undefined);
      }),
    );
  });

  it.each([
    ['none at all', []],
    ['in another order', [second, first]],
    ['without its first leg', [second]],
    ['without its last leg', [first]],
    ['an agent twice', [first, { ...second, agentPubkey: first.agentPubkey }]],
    ['the shipper', [first, { ...second, agentPubkey: 'shipper' }]],
    ['above the budget', [first, { ...second, costLamports: toLamports(91n) }]],
    ['for nothing', [first, { ...second, costLamports: toLamports(0n) }]],
    ['too slow', [first, { ...second, distanceKm: 296 }]],
    ['of no known length', [first, { ...second, distanceKm: Number.NaN }]],
    ['picked up elsewhere', [first, { ...second, pickup: stop(3) }]],
    ['nowhere', [first, { ...second, pickup: { lat: Number.NaN, lng: 0 } }]],
  ])('[M-20, M-21] is not one any more: %s', (_what, bids) => {
    const target = packageOver(2, 100n);
    expect(chainFault(target, chain, NOW)).toBeUndefined();
    expect(chainFault(target, bids, NOW)).toBeTypeOf('string');
  });

  it('[M-20] fits before the deadline from the instant on that it was chosen', () => {
    const target = packageOver(2, 100n, 20);
    expect(chainFault(target, chain, NOW)).toBeUndefined();
    expect(chainFault(target, chain, NOW + 1)).toBe('it is too slow for the deadline');
  });
});
