import { type ClockedListing, keyMoves, type LegClock, legClockEnd, nextStep } from '@legwork/protocol/rules';
import { type Terms, toLamports, type TurnAtHand } from '@legwork/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { disagreementToCarry, withSlack } from '../src/engine/agreement.js';
import { policySchema } from '../src/index.js';
import { solRules } from '../src/wallet/assetRules.js';

const [OWN, OTHER, SHIPPER, ARBITER] = ['own', 'other', 'shipper', 'arbiter'];
const NOW = Date.UTC(2030, 0, 1, 12);
const MINUTE_MS = 60_000;
const NOTICE_MS = 120_000;

/** A turn of the courier as the service shows it, made by the rules of clocks and moves. */
function atHand(listing: ClockedListing, index: number, own: number, minutes: number): TurnAtHand {
  const leg = listing.legs[index];
  const { actions } = keyMoves(listing, index, OWN, NOW);
  const turn = {
    kind: 'package',
    legId: `l${index}`,
    legIndex: index,
    ...leg,
    actions,
    until: legClockEnd(listing, index),
  };
  const parcel = { deadline: listing.deadline, terms: listing.terms };
  const ownLeg = { ...listing.legs[own], id: `l${own}`, legIndex: own, estimatedDurationMin: minutes };
  // Only what the rules read.
  return { turn, parcel, own: ownLeg, now: new Date(NOW) } as unknown as TurnAtHand;
}

/** The same listing once the courier has the parcel, from now on. */
const carriedFromNow = (listing: ClockedListing, own: number): ClockedListing => ({
  ...listing,
  legs: listing.legs.map((leg, index) =>
    index === own
      ? { ...leg, stage: 'carried', since: new Date(NOW) }
      : { ...leg, ...(index < own && { stage: 'completed' as const }) },
  ),
});

interface Scene {
  readonly stages: readonly LegClock['stage'][];
  readonly own: number;
  /** The leg whose turn it is. */
  readonly index: number;
}

const scenes = fc.constantFrom<Scene>(
  { stages: ['pending'], own: 0, index: 0 },
  { stages: ['accepted'], own: 0, index: 0 },
  { stages: ['carried', 'pending'], own: 1, index: 1 },
  { stages: ['carried', 'accepted'], own: 1, index: 0 },
  { stages: ['claimed', 'accepted'], own: 1, index: 0 },
);

test('whatever a courier accepts, takes or takes over leaves it its slack by every clock (A-104, T-52)', () => {
  const begun: string[] = [];
  fc.assert(
    fc.property(
      scenes,
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 60, max: 40_000 }),
      fc.integer({ min: -10, max: 600 }),
      fc.integer({ min: 0, max: 120 }),
      fc.double({ min: 1, max: 3, noNaN: true }),
      ({ stages: of, own, index }, minutes, carrySec, minutesLeft, minutesAgo, slack) => {
        const terms: Terms = {
          receiverPubkey: null,
          arbiterPubkey: ARBITER ?? '',
          stake: toLamports(1n),
          stakeLamports: toLamports(1n),
          carrySec,
          handoffSec: 2_700,
          reviewSec: 86_400,
          arbitrationSec: 259_200,
          cosignedPickup: false,
        };
        const since = new Date(NOW - minutesAgo * MINUTE_MS);
        const legs = of.map((stage, at) => ({ agentPubkey: (at === own ? OWN : OTHER) ?? '', stage, since }));
        const deadline = new Date(NOW + minutesLeft * MINUTE_MS);
        const listing: ClockedListing = { kind: 'package', terms, deadline, shipperPubkey: SHIPPER ?? '', legs };
        const policy = policySchema.parse({ key: 'a.json', accept: { shortestCarrySec: 0 } });
        const stakes = { of: solRules(policy), perLeg: 10n, inAll: 10n, arbiters: [ARBITER ?? ''] };
        const isAgreed = disagreementToCarry(terms, minutes, { accept: policy.accept, stakes, slack }) === undefined;
        const step = nextStep(atHand(listing, index, own, minutes), OWN ?? '', withSlack(minutes, slack));
        if (!isAgreed || (step?.kind !== 'accept' && step?.kind !== 'pickUp')) return;
        begun.push(step.kind === 'pickUp' ? step.action : step.kind);
        const end = legClockEnd(carriedFromNow(listing, own), own);
        expect((end?.getTime() ?? 0) - NOW).toBeGreaterThanOrEqual(minutes * slack * MINUTE_MS + NOTICE_MS - 1);
      },
    ),
    { numRuns: 5_000 },
  );
  for (const kind of ['accept', 'take', 'confirm'])
    expect(begun.filter((one) => one === kind).length).toBeGreaterThan(50);
});
