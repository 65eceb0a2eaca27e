import { toLamports } from '@legwork/protocol/contract';
import { describe, expect, test } from 'vitest';
import { deadlineIn, readTyped, type Typed } from '../../src/pages/post/draft.js';

const ARBITER = 'judge';
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
  maxBudgetSol: '0.3',
  hours: '72',
  preset: 'standard',
  receiver: '',
};
const read = (changed: Partial<Typed> = {}, arbiter: string | null = ARBITER) => {
  const outcome = readTyped({ ...TYPED, ...changed }, arbiter);
  if (typeof outcome === 'string') throw new Error(outcome);
  return outcome;
};

describe('what a shipper typed', () => {
  test('is a draft with the terms that it shows, their arbiter named (D-36)', () => {
    const { draft, budget, terms } = read({ receiver: ' rita ' });
    expect(draft).toEqual({
      description: 'a violin',
      originLat: 52.5074,
      originLng: 13.3326,
      destLat: 52.5031,
      destLng: 13.4694,
      weightKg: 2.5,
      volumeLitres: 30,
      maxBudgetSol: 0.3,
      terms: { preset: 'standard', cosignedPickup: true, arbiterPubkey: ARBITER, receiverPubkey: 'rita' },
    });
    expect(budget).toBe(300_000_000n);
    expect(terms).toMatchObject({
      stakeLamports: toLamports(60_000_000n),
      receiverPubkey: 'rita',
      cosignedPickup: true,
    });
  });

  test('guarded stakes twice as much, plain nothing (D-36)', () => {
    expect(read({ preset: 'guarded' }).terms?.stakeLamports).toBe(120_000_000n);
    expect(read({ preset: 'plain', receiver: 'rita' })).toMatchObject({ terms: null, draft: { terms: 'plain' } });
  });

  test.each<[Partial<Typed>, RegExp]>([
    [{ description: ' ' }, /what it is/],
    [{ from: '52.5' }, /latitude and a longitude/],
    [{ to: '91, 0' }, /latitude and a longitude/],
    [{ to: 'Berlin, Zoo' }, /latitude and a longitude/],
    [{ weightKg: '0' }, /how heavy/],
    [{ volumeLitres: '' }, /how large/],
    [{ maxBudgetSol: '-1' }, /may cost/],
    [{ maxBudgetSol: '0.0000000001' }, /may cost/],
  ])('%o is told in words', (changed, words) => {
    expect(readTyped({ ...TYPED, ...changed }, ARBITER)).toMatch(words);
  });

  test('terms need somebody who rules (D-36)', () => {
    expect(readTyped(TYPED, null)).toMatch(/names no arbiter/);
  });

  test('hours become a whole second from now on', () => {
    const at = Date.parse(deadlineIn('1.5'));
    expect(Math.abs(at - Date.now() - 5_400_000)).toBeLessThan(2_000);
    expect(at % 1000).toBe(0);
    for (const hours of ['', '0', '-1', 'soon']) expect(() => deadlineIn(hours)).toThrow(/until when/);
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
    const outcome = readTyped({ ...TASK, receiver: 'rita' }, ARBITER);
    expect(outcome).toMatchObject({
      draft: {
        title: 'Feedback',
        description: 'Sum up the feedback.',
        legs: [{ instruction: 'Group it by topic.' }, { instruction: 'Sum each group up.' }],
        claimTimeoutSec: 1800,
        maxBudgetSol: 0.3,
        terms: { preset: 'standard', arbiterPubkey: ARBITER, receiverPubkey: 'rita' },
      },
      terms: { stakeLamports: 60_000_000n, carrySec: 2400, reviewSec: 3600, cosignedPickup: false },
    });
  });

  test.each<[Partial<Typed>, RegExp]>([
    [{ title: ' ' }, /what it is called/],
    [{ description: '' }, /whole goal/],
    [{ legs: ['Group it.', ' '] }, /agent of leg 2/],
    [{ legMinutes: 'soon' }, /how many minutes/],
    [{ maxBudgetSol: '' }, /may cost/],
  ])('%o is told in words', (changed, words) => {
    expect(readTyped({ ...TASK, ...changed }, ARBITER)).toMatch(words);
  });
});
