import { toLamports } from '@legwork/protocol/contract';
import { describe, expect, test, vi } from 'vitest';
import {
  budgetFrom,
  deadlineIn,
  type Faults,
  readNumber,
  readTyped,
  type Typed,
  wishOf,
} from '../../src/pages/post/draft.js';

const ARBITER = '4zYjJ92Ejn4PUx79NguBcLSJthAU9eg5pvMTgVxsvqkh';
const RITA = '9BAZ6PJmsPqiFnUsBhyqaWHU2hTZo7bVrMoxH8ZVGEZ4';
const TYPED: Typed = {
  kind: 'package',
  title: '',
  description: ' a violin ',
  from: '52.5074, 13.3326',
  to: '52.5031;13.4694',
  weightKg: '2.5',
  volumeLitres: '30',
  legs: [''],
  legMinutes: '30',
  asset: 'sol',
  budget: '0.3',
  hours: '72',
  isBudgetOwn: true,
  preset: 'standard',
  receives: 'self',
  receiver: '',
};
const ZOO = { name: 'Zoo', lat: 52.5074, lng: 13.3326 };
const read = (changed: Partial<Typed> = {}, arbiter: string | null = ARBITER) => {
  const outcome = readTyped({ ...TYPED, ...changed }, arbiter);
  if ('faults' in outcome) throw new Error(JSON.stringify(outcome.faults));
  return outcome;
};

describe('what a shipper typed', () => {
  test('is a draft with the terms that it shows, their arbiter named (D-36)', () => {
    const { draft, budget, terms } = read({ receives: 'key', receiver: ` ${RITA} ` });
    expect(draft).toEqual({
      description: 'a violin',
      originLat: 52.5074,
      originLng: 13.3326,
      destLat: 52.5031,
      destLng: 13.4694,
      weightKg: 2.5,
      volumeLitres: 30,
      maxBudgetSol: 0.3,
      terms: { preset: 'standard', cosignedPickup: true, arbiterPubkey: ARBITER, receiverPubkey: RITA },
    });
    expect(budget).toBe(300_000_000n);
    expect(terms).toMatchObject({
      stakeLamports: toLamports(60_000_000n),
      receiverPubkey: RITA,
      cosignedPickup: true,
    });
  });

  test('is at the places that were chosen, whatever their names (D-87)', () => {
    expect(read({ from: 'Zoo', origin: ZOO }).draft).toMatchObject({ originLat: ZOO.lat, originLng: ZOO.lng });
    expect(wishOf({ ...TYPED, from: 'Zoo', origin: ZOO })).toMatchObject({ originLat: ZOO.lat });
  });

  test('names no key for who gets a link: that is made with the signature (D-90)', () => {
    const { draft, terms } = read({ receives: 'phone', receiver: 'left from before' });
    expect(draft.terms).toEqual({ preset: 'standard', cosignedPickup: true, arbiterPubkey: ARBITER });
    expect(terms?.receiverPubkey).toBeNull();
  });

  test('guarded stakes twice as much, plain nothing (D-36)', () => {
    expect(read({ preset: 'guarded' }).terms?.stakeLamports).toBe(120_000_000n);
    expect(read({ preset: 'plain', receives: 'key', receiver: RITA })).toMatchObject({
      terms: null,
      draft: { terms: 'plain' },
    });
  });

  test.each<[Partial<Typed>, Faults]>([
    [{ description: ' ' }, { description: expect.stringMatching(/a description/) }],
    [{ from: '52.5' }, { from: expect.stringMatching(/^Choose one of the places found/) }],
    [{ to: '91, 0' }, { to: expect.stringMatching(/^Choose one/) }],
    [{ to: 'Berlin, Zoo' }, { to: expect.stringMatching(/^Choose one/) }],
    [{ weightKg: '0' }, { weightKg: expect.stringMatching(/the weight.*above 0/) }],
    [{ volumeLitres: '' }, { volumeLitres: expect.stringMatching(/the volume/) }],
    [{ budget: '-1' }, { budget: expect.stringMatching(/the budget/) }],
    [{ budget: '0.0000000001' }, { budget: expect.stringMatching(/lamport/) }],
    [{ hours: 'soon' }, { hours: expect.stringMatching(/the deadline in hours/) }],
    [{ receives: 'key', receiver: 'rita' }, { receiver: expect.stringMatching(/32 bytes in base58/) }],
    [{ receives: 'key' }, { receiver: expect.stringMatching(/32 bytes in base58/) }],
    [
      { description: '', from: '', weightKg: 'x', budget: '1,000' },
      {
        description: 'Enter a description.',
        from: expect.stringMatching(/^Enter a place/),
        weightKg: expect.stringMatching(/as a number such as 2.5/),
        budget: '1,000 is ambiguous: write 1000, or 1.000 with a point.',
      },
    ],
  ])('%o: every fault is told at its field, and no other (D-42)', (changed, faults) => {
    expect(readTyped({ ...TYPED, ...changed }, ARBITER)).toEqual({ faults });
  });

  test.each([
    ['0,3', 0.3],
    ['12,5', 12.5],
    [',5', 0.5],
    ['0,125', 0.125],
    ['1000,125', 1000.125],
    ['1000', 1000],
    ['.5', 0.5],
    [' 2.5 ', 2.5],
  ])('%s is read as %f (D-42)', (text, number) => {
    expect(readNumber(text, 'it')).toBe(number);
  });

  test.each([
    '1,000',
    '12,500',
    '999,999',
    '1,000,000',
    '1.000,5',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    '3 4',
    '9'.repeat(400),
  ])('%s is misread as nothing else: it is refused in words (D-42)', (text) =>
    expect(readNumber(text, 'it')).toEqual(expect.stringMatching(/^(Enter it|\d+,\d+ is ambiguous)/)),
  );

  test('is read by the decimal mark of the language: in German 1,234 is a fraction, and 1.234 may be a thousand (D-42)', async () => {
    vi.resetModules();
    vi.stubGlobal('document', {});
    vi.stubGlobal('navigator', { languages: ['de-DE'] });
    try {
      const german = await import('../../src/pages/post/draft.js');
      expect(german.readNumber('1,234', 'it')).toBe(1.234);
      expect(german.readNumber('2.5', 'it')).toBe(2.5);
      expect(german.readNumber('1.234', 'it')).toMatch(/^1\.234 is ambiguous: write 1234, or 1,234/);
      const begun = german.budgetFrom({ high: toLamports(1_234_000_000n) });
      expect([begun, german.readNumber(begun, 'it')]).toEqual(['1,234', 1.234]);
    } finally {
      vi.unstubAllGlobals();
      vi.resetModules();
    }
  });

  test('terms need somebody who rules (D-36)', () => {
    expect(readTyped(TYPED, null)).toEqual({ faults: { preset: expect.stringMatching(/names no arbiter/) } });
  });

  test('hours become a whole second from now on', () => {
    const at = Date.parse(deadlineIn('1.5'));
    expect(Math.abs(at - Date.now() - 5_400_000)).toBeLessThan(2_000);
    expect(at % 1000).toBe(0);
    for (const hours of ['', '0', '-1', 'soon']) expect(() => deadlineIn(hours)).toThrow(/the deadline in hours/);
  });
});

describe('what a poster typed', () => {
  const TASK: Typed = {
    ...TYPED,
    kind: 'task',
    title: ' Feedback ',
    description: 'Sum up the feedback.',
    legs: ['Group it by topic.', ' Sum each group up. '],
  };

  test('is a task with the terms that it shows, whose legs nobody picks up (D-36)', () => {
    const outcome = readTyped({ ...TASK, receives: 'key', receiver: RITA }, ARBITER);
    expect(outcome).toMatchObject({
      draft: {
        title: 'Feedback',
        description: 'Sum up the feedback.',
        legs: [{ instruction: 'Group it by topic.' }, { instruction: 'Sum each group up.' }],
        claimTimeoutSec: 1800,
        maxBudgetSol: 0.3,
        terms: { preset: 'standard', arbiterPubkey: ARBITER, receiverPubkey: RITA },
      },
      terms: { stakeLamports: 60_000_000n, carrySec: 2400, reviewSec: 3600, cosignedPickup: false },
    });
  });

  test.each<[Partial<Typed>, Faults]>([
    [{ title: ' ' }, { title: expect.stringMatching(/a title/) }],
    [{ description: '' }, { description: expect.stringMatching(/the goal/) }],
    [
      { legs: ['Group it.', ' ', ''] },
      { 'leg 1': expect.stringMatching(/leg 2/), 'leg 2': expect.stringMatching(/leg 3/) },
    ],
    [{ legMinutes: 'soon' }, { legMinutes: expect.stringMatching(/the time per leg in minutes/) }],
    [{ budget: '' }, { budget: expect.stringMatching(/the budget/) }],
  ])('%o: every fault is told at its field, and no other (D-42)', (changed, faults) => {
    expect(readTyped({ ...TASK, ...changed }, ARBITER)).toEqual({ faults });
  });
});

describe('a budget in a token', () => {
  const USDC = { asset: 'usdc', decimals: 6, minAmount: toLamports(10_000n) };
  const inUsdc = (budget: string) => readTyped({ ...TYPED, asset: 'usdc', budget }, ARBITER, USDC);

  test.each([
    ['25', '25000000'],
    ['25,000001', '25000001'],
    ['0.01', '10000'],
    ['.5', '500000'],
    ['1.', '1000000'],
    ['9007199254.740991', '9007199254740991'],
  ])('%s is %s base units, as it was typed (M-92, D-97)', (typed, maxBudget) => {
    const outcome = inUsdc(typed);
    if ('faults' in outcome) throw new Error(outcome.faults.budget);
    expect(outcome.draft).toMatchObject({ maxBudget, asset: 'usdc' });
    expect(outcome.draft).not.toHaveProperty('maxBudgetSol');
    expect(outcome.budget).toBe(BigInt(maxBudget));
    const fifth = BigInt(maxBudget) / 5n;
    expect(outcome.terms).toMatchObject({ stake: fifth < 10_000n ? 10_000n : fifth, stakeLamports: null });
  });

  test.each([
    ['', 'Enter the budget in USDC.'],
    ['0', 'Enter the budget in USDC above 0.'],
    ['1,000', '1,000 is ambiguous: write 1000, or 1.000 with a point.'],
    ['1.0000001', '1.0000001 USDC has more than the 6 decimals of USDC; leave out the others.'],
    ['0.0000001', '0.0000001 USDC has more than the 6 decimals of USDC; leave out the others.'],
    ['0.009999', 'The least is 0.01 USDC.'],
    ['9007199254.740992', 'The most is 9007199254.740991 USDC.'],
    ['1000000000000000000000', 'The most is 9007199254.740991 USDC.'],
  ])('%s is refused by name (M-92, D-42)', (typed, fault) => {
    expect(inUsdc(typed)).toEqual({ faults: { budget: fault } });
  });

  test('has no quote: prices are known in SOL alone (M-94)', () => {
    expect(wishOf({ ...TYPED, asset: 'usdc' })).toBeUndefined();
  });
});

test('a quote is asked for once both places are typed, of a task at once, with the terms that are chosen (M-89)', () => {
  const places = { originLat: 52.5074, originLng: 13.3326, destLat: 52.5031, destLng: 13.4694 };
  expect(wishOf(TYPED)).toEqual({ ...places, weightKg: 2.5, terms: 'standard' });
  expect(wishOf({ ...TYPED, weightKg: '', preset: 'plain' })).toEqual({ ...places, terms: 'plain' });
  expect(wishOf({ ...TYPED, to: '52.5' })).toBeUndefined();
  expect(wishOf({ ...TYPED, kind: 'task', legs: ['a', ''] })).toEqual({ numLegs: 2, terms: 'standard' });
});

test.each([
  [80_000_000n, '0.08'],
  [81_234_567n, '0.0813'],
  [1n, '0.0001'],
  [12_000_000_000n, '12'],
])('a budget begins with the most that the like costs, %i lamports, as %s SOL (D-89)', (high, sol) => {
  expect(budgetFrom({ high: toLamports(high) })).toBe(sol);
  expect(readNumber(budgetFrom({ high: toLamports(high) }), 'it')).toBe(Number(sol));
});
