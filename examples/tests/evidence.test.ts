import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { faultsOfLeg, faultsOfReputation } from '../src/demo/tasks/evidence.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const leg = {
  place: 'a poem, leg 1',
  agent: 'Ines',
  expected: '4 lines',
  result: '4 lines',
  ledgerHash: sha256('4 lines'),
  share: 30n,
  gained: 30n,
};

describe('a leg', () => {
  test('of which demo, service and ledger tell the same has no fault', () => {
    expect(faultsOfLeg(leg)).toEqual([]);
  });

  test.each([
    ['a wrong result', { result: '5 lines', ledgerHash: sha256('5 lines') }, /should be "4 lines"/],
    ['a result that the ledger does not hold', { ledgerHash: sha256('4 lines\n') }, /not the result shown/],
    ['a lamport too little', { gained: 29n }, /gained 29 lamports for a poem, leg 1, not 30/],
  ])('with %s has one', (_, change, told) => {
    expect(faultsOfLeg({ ...leg, ...change })).toEqual([expect.stringMatching(told)]);
  });
});

describe('a reputation', () => {
  const reputation = {
    agent: 'Ines',
    completedHere: 2,
    legsAccepted: 2n,
    legsCompleted: 2n,
    reliabilityScore: 100,
  };

  test('that counts what was completed has no fault', () => {
    expect(faultsOfReputation(reputation)).toEqual([]);
    const idle = { completedHere: 0, legsAccepted: 0n, legsCompleted: 0n, reliabilityScore: 0 };
    expect(faultsOfReputation({ ...reputation, ...idle })).toEqual([]);
  });

  test.each([
    ['a leg accepted and not completed', { legsAccepted: 3n, reliabilityScore: 66 }],
    ['a leg that was not counted', { legsCompleted: 1n }],
    ['another score', { reliabilityScore: 99 }],
  ])('with %s has one', (_, change) => {
    expect(faultsOfReputation({ ...reputation, ...change })).toHaveLength(1);
  });
});
