import { SOL, toLamports } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { divide, questionOfRuling } from '../../src/console/desk/division.js';
import { questionOfAgreement, readPercent } from '../../src/pages/turns/actionWords.js';

const LEG = {
  kind: 'package',
  payment: toLamports(100_000_001n),
  stake: toLamports(50_000_000n),
  of: SOL,
  leg: { agentPubkey: 'ada', disputerPubkey: 'sam' },
} as const;

describe('what a percentage divides', () => {
  test.each([
    [
      'a ruling, to the one who rules',
      questionOfRuling(LEG, 30, { reason: 'why', own: 'judge' }),
      '0.03 SOL, which is 30 % of 0.100000001 SOL, is paid to ada; 0.070000001 SOL stays in escrow. ' +
        'Stakes: 0.0225 SOL to ada, 0.0525 SOL to sam, 0.025 SOL to you as the arbiter. This cannot be undone. Your reason becomes public.',
    ],
    [
      'an agreement, to who gave in',
      questionOfAgreement(LEG, 100, 'sam'),
      'Once both have signed, 0.100000001 SOL, which is 100 % of 0.100000001 SOL, is paid to ada. ' +
        'Stakes: 0.05 SOL to ada, 0.05 SOL to you. This cannot be undone.',
    ],
    [
      'an agreement on nothing, with no dispute',
      questionOfAgreement({ ...LEG, leg: { ...LEG.leg, disputerPubkey: null } }, 0, 'ada'),
      'Once both have signed, nothing of 0.100000001 SOL is paid to you, and the leg is open to other couriers again. ' +
        'Stakes: 0.05 SOL to you. This cannot be undone.',
    ],
  ])('is said to the lamport: %s (D-38)', (_, question, says) => {
    expect(question).toEqual({ says });
  });

  test.each(['', ' ', '-1', '101', '40.5', '1e1', 'half', null])('%j is no percentage (D-38)', (text) => {
    const percent = readPercent(text);
    expect(percent).toBeUndefined();
    expect(questionOfAgreement(LEG, percent, 'ada')).toEqual({ lacks: expect.stringMatching(/0 to 100/) });
    const typed = { reason: 'why', own: 'judge' };
    expect(questionOfRuling(LEG, percent, typed)).toEqual({ lacks: expect.stringMatching(/0 to 100/) });
  });

  test('a ruling without a reason is not asked back (D-113)', () => {
    expect(questionOfRuling(LEG, 30, { reason: ' \n', own: 'judge' })).toEqual({
      lacks: expect.stringMatching(/^Say why/),
    });
  });

  test('a ruling gives away the payment and both stakes, to the base unit (D-113)', () => {
    const amounts = fc.bigInt({ min: 0n, max: 2n ** 51n }).map(toLamports);
    const property = fc.property(fc.integer({ min: 0, max: 100 }), amounts, amounts, (percent, payment, stake) => {
      const { worker, disputer, fee, stays } = divide(percent, { payment, stake });
      expect(worker.payment + stays).toBe(payment);
      expect(worker.stakes + disputer + fee).toBe(2n * stake);
    });
    fc.assert(property);
  });

  test.each([
    ['0', 0],
    ['7', 7],
    ['100', 100],
  ])('%s is one (D-38)', (text, percent) => {
    expect(readPercent(text)).toBe(percent);
  });
});
