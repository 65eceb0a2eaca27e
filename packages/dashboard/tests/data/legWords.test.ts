import type { LegStage } from '@legwork/protocol/contract';
import { expect, test } from 'vitest';
import { statusWord, waitsAt } from '../../src/data/legWords.js';

const leg = (stage: LegStage | null, percent: number | null = null) => ({
  stage,
  percent,
  agentPubkey: 'Leif',
  pickupLat: 1,
  pickupLng: 2,
  dropoffLat: 3,
  dropoffLng: 4,
});
const names = { nameOf: (pubkey: string) => pubkey, place: 'Ostkreuz' };

test('a relay on the map whose legs paid less than they were to is settled in part (D-40)', () => {
  const relay = { status: 'delivered', legs: [leg('completed')], total: 100n } as const;
  expect(statusWord({ ...relay, paid: 30n }, names)).toBe('Settled in part');
  expect(statusWord({ ...relay, paid: 100n }, names)).toBeUndefined();
});

test.each([
  ['that nobody has accepted', 'in_transit', [leg('pending'), leg('pending')], 'Awaiting pickup'],
  ['that is accepted', 'in_transit', [leg('accepted'), leg('pending')], 'Awaiting pickup'],
  ['whose courier left', 'in_transit', [leg('vacant')], 'Looking for a replacement'],
  ['that is carried', 'in_transit', [leg('carried'), leg('pending')], 'On the way with Leif'],
  ['whose next courier is to come', 'in_transit', [leg('completed'), leg('accepted')], 'Waiting at Ostkreuz'],
  ['between two couriers', 'in_transit', [leg('completed'), leg('vacant')], 'Looking for a replacement'],
  ['whose courier claims to be there', 'in_transit', [leg('claimed')], 'Claimed to be at Ostkreuz'],
  ['that is disputed', 'in_transit', [leg('disputed')], 'Disputed'],
  ['that was ruled and not paid', 'in_transit', [leg('ruled', 30)], 'Ruled, not yet paid'],
  ['without terms', 'in_transit', [leg(null)], 'On the way with Leif'],
  ['that was signed for', 'delivered', [leg('completed')], undefined],
  ['that was not paid whole', 'delivered', [leg('completed'), leg('completed', 30)], 'Settled at 30 %'],
  ['that nobody carries yet', 'listed', [], undefined],
] as const)('a parcel %s is called what it is (D-40)', (_, status, legs, word) => {
  expect(statusWord({ status, legs }, names)).toBe(word);
});

test.each([
  ['before its first pickup nowhere', [leg('accepted')], undefined],
  ['between two couriers where the next one picks it up', [leg('completed'), leg('pending')], { lat: 1, lng: 2 }],
  ['that is claimed to be there at the end of the leg', [leg('claimed')], { lat: 3, lng: 4 }],
  ['that is carried nowhere', [leg('carried')], undefined],
  ['without terms nowhere', [leg(null)], undefined],
] as const)('a parcel waits %s (D-40)', (_, legs, place) => {
  expect(waitsAt({ status: 'in_transit', legs })).toEqual(place);
});
