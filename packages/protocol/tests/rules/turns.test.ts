import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createUuid } from '../../src/contract/ids.js';
import { SOL, toLamports } from '../../src/contract/money.js';
import type { Leg, Swarm } from '../../src/contract/resources/swarm.js';
import { FINALITIES, LEG_STAGES, type LegStage, PACKAGE_STATUSES } from '../../src/contract/statuses.js';
import type { Terms } from '../../src/contract/terms.js';
import { clockedListing } from '../../src/rules/legTurns.js';
import { turnOfPackage } from '../../src/rules/turns.js';

const NOW = Date.UTC(2030, 0, 1);
const HOUR_MS = 3_600_000;
const [SHIPPER, FUNDER, COURIERS] = ['shipper', 'coordinator', ['ada', 'ben', 'cem']];

const WITHOUT_TERMS = {
  formation: null,
  stage: null,
  since: null,
  actor: null,
  until: null,
  disputerPubkey: null,
  evidenceHash: null,
  reasonHash: null,
  percent: null,
  paid: null,
  paidLamports: null,
  forfeited: null,
  forfeitedLamports: null,
};

function leg(legIndex: number, isCompleted: boolean): Leg {
  const place = { pickupLat: 0, pickupLng: 0, dropoffLat: 0, dropoffLng: 0, distanceKm: 1, estimatedDurationMin: 2 };
  const one = toLamports(1n);
  const money = {
    cost: one,
    costLamports: one,
    agreedPayment: one,
    agreedPaymentSol: 0,
    agreedPaymentLamports: one,
  };
  return {
    ...place,
    ...money,
    id: createUuid(),
    legIndex,
    agentPubkey: COURIERS[legIndex] ?? '',
    status: isCompleted ? 'completed' : 'pending',
    finality: 'final',
    onChainLeg: '',
    confirmSignature: null,
    startedAt: null,
    completedAt: null,
    ...WITHOUT_TERMS,
    explorer: { onChainLeg: '', confirmSignature: null },
  };
}

function swarmAfter(completedLegs: number): Swarm {
  const signatures = { formSignature: 'f', settleSignature: null };
  return {
    ...signatures,
    id: createUuid(),
    packageId: createUuid(),
    status: 'active',
    finality: 'final',
    exact: true,
    onChainSwarm: '',
    createdAt: new Date(NOW),
    formedAt: new Date(NOW),
    totalLegs: 3,
    completedLegs,
    ...SOL,
    total: toLamports(3n),
    totalLamports: toLamports(3n),
    legs: [0, 1, 2].map((index) => leg(index, index < completedLegs)),
    explorer: { onChainSwarm: '', formSignature: null, settleSignature: null },
  };
}

const deadline = new Date(NOW + HOUR_MS);
type Parcel = Parameters<typeof turnOfPackage>[0];
const parcel = (changes: Partial<Parcel>): Parcel => ({
  status: 'listed',
  finality: 'final',
  deadline,
  biddingClosesAt: null,
  swarm: null,
  terms: null,
  shipperPubkey: SHIPPER,
  funderPubkey: SHIPPER,
  ...changes,
});

describe('in a package it is the move of', () => {
  const AFTER = NOW + HOUR_MS;
  const inTransit = (completedLegs: number) => parcel({ status: 'in_transit', swarm: swarmAfter(completedLegs) });
  test.each<[who: string, of: Parcel, at: number, turn: object]>([
    [
      'every courier, until the window closes',
      parcel({ biddingClosesAt: new Date(NOW + 1) }),
      NOW,
      { actor: { role: 'anyone' }, action: 'bid', until: new Date(NOW + 1) },
    ],
    [
      'every courier, until the deadline',
      parcel({ biddingClosesAt: new Date(NOW) }),
      NOW,
      { action: 'bid', until: deadline },
    ],
    [
      'the coordinator, while a chain forms',
      parcel({ status: 'swarm_forming' }),
      NOW,
      { actor: { role: 'coordinator' }, action: 'form', until: deadline },
    ],
    [
      'the second courier, who takes it over from the first',
      inTransit(0),
      NOW,
      { actor: { role: 'courier', pubkey: 'ben' }, action: 'confirm', legIndex: 0, until: deadline },
    ],
    [
      'the third courier',
      inTransit(1),
      AFTER - 1,
      { actor: { role: 'courier', pubkey: 'cem' }, action: 'confirm', legIndex: 1 },
    ],
    [
      'the shipper, who receives it',
      inTransit(2),
      NOW,
      { actor: { role: 'shipper', pubkey: SHIPPER }, action: 'confirm', legIndex: 2, until: deadline },
    ],
    [
      'the coordinator, once all have signed',
      inTransit(3),
      AFTER,
      { actor: { role: 'coordinator' }, action: 'settle', until: null },
    ],
    [
      'the shipper, from the deadline on',
      inTransit(1),
      AFTER,
      { actor: { role: 'shipper', pubkey: SHIPPER }, action: 'reclaim', until: null },
    ],
    [
      'the shipper of a listing that nobody won',
      parcel({}),
      AFTER,
      { actor: { role: 'shipper' }, action: 'cancel', until: null },
    ],
    [
      'the coordinator, if it paid',
      { ...inTransit(1), funderPubkey: FUNDER },
      AFTER,
      { actor: { role: 'coordinator', pubkey: FUNDER }, action: 'reclaim' },
    ],
    [
      'nobody, once the ledger took something back',
      { ...inTransit(1), finality: 'reverted' },
      NOW,
      { actor: { role: 'nobody' }, action: 'wait', until: null },
    ],
  ])('%s (S-136)', (_who, of, at, turn) => {
    expect(turnOfPackage(of, at)).toMatchObject(turn);
  });

  test('nobody once it is over, and else always somebody’s who is told what silence costs (S-136)', () => {
    const statuses = PACKAGE_STATUSES.filter((status) => status !== 'draft');
    const any = fc.record({
      status: fc.constantFrom(...statuses),
      finality: fc.constantFrom(...FINALITIES),
      biddingClosesAt: fc.constantFrom(null, new Date(NOW), deadline),
      swarm: fc.nat(3).map(swarmAfter),
      funderPubkey: fc.constantFrom(SHIPPER, FUNDER),
    });
    const property = fc.property(any, fc.integer({ min: 0, max: 2 * HOUR_MS }), (changes, later) => {
      const turn = turnOfPackage(parcel(changes), NOW + later);
      expect(turn === null).toBe(changes.status === 'delivered' || changes.status === 'failed');
      if (turn === null) return;
      expect(turn.silence).not.toBe('');
      // A turn with an end has not ended yet; afterwards it is another one's move.
      const until = turn.until?.getTime() ?? Infinity;
      expect(until).toBeGreaterThan(changes.status === 'swarm_forming' ? 0 : NOW + later);
    });
    fc.assert(property, { numRuns: 300 });
  });
});

const MIN_MS = 60_000;
const terms: Terms = {
  receiverPubkey: 'rita',
  arbiterPubkey: 'judge',
  stake: toLamports(1n),
  stakeLamports: toLamports(1n),
  carrySec: 40 * 60,
  handoffSec: 10 * 60,
  reviewSec: 20 * 60,
  arbitrationSec: 30 * 60,
  cosignedPickup: false,
};

/** In transit with terms; the first leg is done, the second one came to its stage now. */
function bound(stage: LegStage, changes: Partial<Parcel> = {}): Parcel {
  const swarm = swarmAfter(1);
  const stages: LegStage[] = ['completed', stage, 'accepted'];
  const legs = swarm.legs.map((one, at) => ({ ...one, stage: stages[at] ?? stage, since: new Date(NOW) }));
  return parcel({ status: 'in_transit', terms, swarm: { ...swarm, legs }, ...changes });
}

describe('in a package with terms it is the move of', () => {
  const at = (minutes: number) => NOW + minutes * MIN_MS;
  const until = (minutes: number) => new Date(at(minutes));
  test.each<[who: string, stage: LegStage, minutes: number, turn: object]>([
    ['the courier, to accept', 'pending', 0, { actor: { role: 'courier', pubkey: 'ben' }, action: 'accept' }],
    ['anyone, where it did not accept', 'pending', 10, { actor: { role: 'anyone' }, action: 'crank', until: deadline }],
    ['the courier, to pick it up', 'accepted', 0, { actor: { role: 'courier' }, action: 'take', until: until(40) }],
    ['the courier, who carries it', 'carried', 39, { actor: { pubkey: 'ben' }, action: 'carry', until: until(40) }],
    [
      'the shipper, once that took too long',
      'carried',
      40,
      { actor: { role: 'shipper', pubkey: SHIPPER }, action: 'crank' },
    ],
    ['the receiver, to contradict', 'claimed', 19, { actor: { role: 'receiver', pubkey: 'rita' }, action: 'review' }],
    [
      'anyone, after the review',
      'claimed',
      20,
      { actor: { role: 'anyone', pubkey: null }, action: 'crank', until: null },
    ],
    ['the arbiter', 'disputed', 29, { actor: { role: 'arbiter', pubkey: 'judge' }, action: 'rule', until: until(30) }],
    ['anyone, where the arbiter is silent', 'disputed', 30, { actor: { role: 'anyone' }, action: 'crank' }],
    ['anyone, after a ruling', 'ruled', 0, { actor: { role: 'anyone' }, action: 'crank', until: null }],
    ['the coordinator, who finds another courier', 'vacant', 0, { actor: { role: 'coordinator' }, action: 'replace' }],
  ])('%s [T-52]', (_who, stage, minutes, turn) => {
    expect(turnOfPackage(bound(stage), at(minutes))).toMatchObject({ legIndex: 1, ...turn });
  });

  test('the shipper, who reviews where there is no receiver [T-52]', () => {
    const turn = turnOfPackage(bound('claimed', { terms: { ...terms, receiverPubkey: null } }), NOW);
    expect(turn).toMatchObject({ actor: { role: 'shipper', pubkey: SHIPPER }, action: 'review' });
  });

  test.each(LEG_STAGES)(
    'the shipper from the deadline on, unless somebody is to decide about a claim: %s [T-37]',
    (stage) => {
      const turn = turnOfPackage(bound(stage), deadline.getTime());
      const isDecided = stage === 'claimed' || stage === 'disputed' || stage === 'ruled';
      expect(turn?.action === 'reclaim').toBe(!isDecided);
    },
  );

  test('nobody whose clock has ended, at any second [T-52]', () => {
    const any = fc.record({ stage: fc.constantFrom(...LEG_STAGES), second: fc.nat(7200) });
    const property = fc.property(any, ({ stage, second }) => {
      const now = NOW + second * 1000;
      const turn = turnOfPackage(bound(stage), now);
      expect(turn?.silence).not.toBe('');
      expect(turn?.until?.getTime() ?? Infinity).toBeGreaterThan(now);
    });
    fc.assert(property);
  });

  test('whom a package without terms names, also if its legs have no stage', () => {
    expect(clockedListing(bound('carried', { terms: null }))).toBeNull();
    const inTransit = parcel({ status: 'in_transit', terms, swarm: swarmAfter(1) });
    expect(clockedListing(inTransit)).toBeNull();
    expect(turnOfPackage(inTransit, NOW)).toMatchObject({ action: 'confirm', legIndex: 1 });
  });
});
