import { expect, test } from 'vitest';
import { statusWord } from '../../src/data/legWords.js';

const leg = (
  stage: 'pending' | 'accepted' | 'carried' | 'vacant' | 'completed' | null,
  percent: number | null = null,
) => ({
  stage,
  percent,
});

test('a relay on the map whose legs paid less than they were to was ruled (D-40)', () => {
  const relay = { status: 'delivered', legs: [leg('completed')], total: 100n } as const;
  expect(statusWord({ ...relay, paid: 30n })).toBe('Over, paid in part');
  expect(statusWord({ ...relay, paid: 100n })).toBeUndefined();
});

test.each([
  ['that nobody has accepted', 'in_transit', [leg('pending'), leg('pending')], 'To be picked up'],
  ['that is accepted', 'in_transit', [leg('accepted'), leg('pending')], 'To be picked up'],
  ['whose courier left', 'in_transit', [leg('vacant')], 'To be picked up'],
  ['that is carried', 'in_transit', [leg('carried'), leg('pending')], undefined],
  ['between two couriers', 'in_transit', [leg('completed'), leg('vacant')], undefined],
  ['without terms', 'in_transit', [leg(null)], undefined],
  ['that was signed for', 'delivered', [leg('completed')], undefined],
  ['that was ruled', 'delivered', [leg('completed'), leg('completed', 30)], 'Over, ruled 30 %'],
] as const)('a parcel %s is called what it is (D-40)', (_, status, legs, word) => {
  expect(statusWord({ status, legs })).toBe(word);
});
