import type { RelayInstruction } from '@legwork/program-client';
import { describe, expect, test } from 'vitest';
import { GapError, replayed } from './histories.js';
import { STAKE } from './movesOnLedger.js';
import { TermsOnLedger } from './termsOnLedger.js';
import { ada, ben, cy, FIRST, FORMED, OTHER_PAYMENT, passerBy, PAYMENT, played, SECOND } from './termsPlayed.js';

const DISPUTED = (it: TermsOnLedger) => [it.moves.take(FIRST), it.moves.claim(FIRST), it.moves.dispute(FIRST)];

describe('what the ruling of a leg adds up to', () => {
  test('by the arbiter it divides both stakes, less its fee (T-15, T-22)', async () => {
    const { parcel, found, leg } = await played((it) => [...DISPUTED(it), it.moves.rule(FIRST, { percent: 33 })]);
    expect(leg(0).turn).toMatchObject({
      stage: 'ruled',
      percent: 33,
      disputer: parcel.shipper,
      reasonHash: 'd1'.repeat(32),
    });
    const from = parcel.leg(0);
    // Half the stake of 2,000,001, rounded down, is the fee; a third of the rest, rounded down, is the courier's.
    expect(found.steps.slice(2)).toMatchObject([
      { move: 'dispute', movements: [{ what: 'stake', from: parcel.shipper, to: from, lamports: STAKE }] },
      {
        move: 'rule',
        by: 'arbiter',
        percent: 33,
        movements: [
          { what: 'stake_returned', from, to: ada, lamports: 990_000n },
          { what: 'stake_returned', from, to: parcel.shipper, lamports: 2_010_002n },
          { what: 'arbiter_fee', from, to: parcel.arbiter, lamports: 1_000_000n },
        ],
      },
    ]);
  });

  test('by silence it leaves the courier its stake and burns half of the other (T-21, T-22)', async () => {
    const { parcel, found } = await played((it) => [
      it.moves.take(FIRST),
      it.moves.claim(FIRST),
      it.moves.dispute(FIRST, it.receiver),
      it.moves.rulingBySilence(FIRST, it.receiver),
    ]);
    expect(found.steps.at(-1)).toMatchObject({
      move: 'rule',
      by: 'silence',
      percent: 50,
      movements: [
        { what: 'stake_returned', to: ada, lamports: STAKE },
        { what: 'stake_returned', to: parcel.receiver, lamports: 1_000_001n },
        { what: 'burnt', lamports: 1_000_000n },
      ],
    });
  });

  test('by agreement everybody takes back what it posted (T-23)', async () => {
    const { parcel, found } = await played((it) => [it.moves.take(FIRST), it.moves.agree(FIRST, { percent: 10 })]);
    const step = found.steps.at(-1);
    expect(step).toMatchObject({ move: 'rule', by: 'agreement', signer: parcel.shipper });
    expect(step?.movements).toMatchObject([{ what: 'stake_returned', to: ada, lamports: STAKE }]);
    const disputed = await played((it) => [...DISPUTED(it), it.moves.agree(FIRST, { percent: 10 })]);
    expect(disputed.found.steps.at(-1)?.movements).toHaveLength(2);
  });

  test('a ruled leg pays its part, rounded down, and no stake (T-34, T-36)', async () => {
    const { found, leg } = await played((it) => [
      ...DISPUTED(it),
      it.moves.rule(FIRST, { percent: 50 }),
      it.end(FIRST, passerBy),
    ]);
    expect(leg(0)).toMatchObject({ paidLamports: 150n, turn: { stage: 'completed', percent: 50 } });
    expect(found.paidLamports).toBe(150n);
    expect(found.steps.at(-1)).toMatchObject({ move: 'confirm', movements: [] });
  });

  test('a ruling of nothing makes the leg vacant (T-25)', async () => {
    const { found, leg } = await played((it) => [...DISPUTED(it), it.moves.rule(FIRST, { percent: 0 })]);
    expect(leg(0).turn).toMatchObject({ stage: 'vacant', percent: 0, forfeitedLamports: 0n });
    const step = found.steps.at(-1);
    expect(step).toMatchObject({ move: 'reject', percent: 0 });
    expect(step?.movements.map(({ what }) => what)).toEqual(['stake_returned', 'arbiter_fee']);
  });
});

describe('what a wallet cannot receive (T-17)', () => {
  const RULED = (it: TermsOnLedger) => [...DISPUTED(it), it.moves.rule(FIRST, { percent: 1 }), it.end(FIRST, passerBy)];
  const vaultGains = async (transaction: number, lamports: bigint, wallets: Readonly<Record<string, bigint>> = {}) => {
    const parcel = await TermsOnLedger.of([ada, ben], [PAYMENT, OTHER_PAYMENT]);
    const done = RULED(parcel).map((one) => [one]);
    const gained = { [transaction]: { [parcel.vault]: lamports, ...wallets } };
    return replayed([[parcel.list()], parcel.form(), ...done], { gained }).packages.get(parcel.address);
  };

  test('stays in the vault as a payment', async () => {
    const received = await vaultGains(FORMED + 4, -3n);
    expect(received).toMatchObject({ paidLamports: 3n, formation: { legs: [{ paidLamports: 3n }, {}] } });
    const kept = await vaultGains(FORMED + 4, 0n);
    expect(kept).toMatchObject({
      paidLamports: 0n,
      gainedLamports: 0n,
      formation: { legs: [{ paidLamports: 0n }, {}] },
    });
  });

  test('goes to the vault as a part of the stakes', async () => {
    const kept = await vaultGains(FORMED + 3, 30_000n);
    expect(kept?.gainedLamports).toBe(30_000n);
    expect(kept?.steps.at(3)?.movements).toMatchObject([
      { to: kept?.vault, lamports: 30_000n },
      { to: kept?.poster },
      { what: 'arbiter_fee' },
    ]);
  });

  test('is not what a stranger gave to the vault', async () => {
    expect((await vaultGains(FORMED + 3, 12_345n))?.gainedLamports).toBe(0n);
  });

  test('is not what a stranger gave to the vault, though it is as much as the courier was paid', async () => {
    const paid = await vaultGains(FORMED + 4, 0n, { [ada]: 3n });
    expect(paid).toMatchObject({ paidLamports: 3n, formation: { legs: [{ paidLamports: 3n }, {}] } });
    const kept = await vaultGains(FORMED + 4, 0n, { [ada]: 0n });
    expect(kept).toMatchObject({ paidLamports: 0n, formation: { legs: [{ paidLamports: 0n }, {}] } });
  });

  test('is told by the vault where the wallet gained less than it was due, as one that pays a fee does', async () => {
    expect(await vaultGains(FORMED + 4, 0n, { [ada]: -5_000n })).toMatchObject({ paidLamports: 0n });
    expect(await vaultGains(FORMED + 4, -3n, { [ada]: 3n - 5_000n })).toMatchObject({ paidLamports: 3n });
  });

  test('may be the smaller of two payouts to one wallet, which can receive the other one', async () => {
    const parcel = await TermsOnLedger.of([ada], [PAYMENT]);
    const done = [parcel.moves.take(FIRST), parcel.moves.claim(FIRST), parcel.end(FIRST, passerBy)];
    const transactions = [[parcel.list()], parcel.form(), ...done.map((one) => [one])];
    const gained = { [FORMED + 2]: { [parcel.vault]: STAKE - PAYMENT, [ada]: PAYMENT } };
    const found = replayed(transactions, { gained }).packages.get(parcel.address);
    expect(found).toMatchObject({ paidLamports: PAYMENT, gainedLamports: STAKE });
  });
});

describe('what a reclaim leaves of the stakes', () => {
  test('a waiting courier gets its own, the funder that of the one who carries (T-39)', async () => {
    const { parcel, found } = await played((it) => [
      it.moves.take(FIRST),
      it.moves.accept(SECOND),
      it.reclaimFrom([ben]),
    ]);
    expect(found.status).toBe('reclaimed');
    expect(found.steps.slice(2)).toMatchObject([
      { move: 'reclaim', leg: { index: 0 }, movements: [{ what: 'stake_forfeited', to: parcel.shipper }] },
      { move: 'reclaim', leg: { index: 1 }, movements: [{ what: 'stake_returned', to: ben }] },
    ]);
  });

  test('what a waiting courier cannot receive goes to the funder (T-39)', async () => {
    const moves = (it: TermsOnLedger) => [it.moves.accept(SECOND), it.reclaimFrom([ben])];
    const { parcel, found } = await played(moves, { gained: { [FORMED + 1]: { [ben]: 0n } } });
    expect(found.steps.at(-1)?.movements).toMatchObject([{ to: parcel.shipper, lamports: STAKE }]);
  });
});

describe('a history of moves with a gap', () => {
  const gaps: [what: string, moves: (it: TermsOnLedger) => RelayInstruction[], says: string][] = [
    [
      'a leg is accepted twice (T-7)',
      (it) => [it.moves.accept(FIRST), it.moves.accept(FIRST)],
      'accept found leg 0 accepted',
    ],
    ['somebody else accepts (T-7)', (it) => [it.moves.accept({ ...FIRST, courier: cy })], "found leg 0 another's"],
    ['a later leg is picked up first (T-8)', (it) => [it.moves.take(SECOND)], 'accept found leg 0 not completed'],
    ['a leg is claimed before it was picked up (T-14)', (it) => [it.moves.claim(FIRST)], 'claim found leg 0 pending'],
    [
      'nothing was claimed (T-15)',
      (it) => [it.moves.take(FIRST), it.moves.dispute(FIRST)],
      'dispute found leg 0 carried',
    ],
    [
      'nothing was disputed (T-20)',
      (it) => [it.moves.take(FIRST), it.moves.vacate(FIRST, ben), it.moves.rule(FIRST, { percent: 9 })],
      'rule found leg 0 vacant',
    ],
    [
      'a claimed leg is vacated (T-13)',
      (it) => [it.moves.take(FIRST), it.moves.claim(FIRST), it.moves.vacate(FIRST, it.shipper)],
      'evict found leg 0 claimed',
    ],
    [
      'a leg has another number (T-5)',
      (it) => [it.moves.accept({ ...FIRST, number: 2 })],
      'accept names 2, and leg 0 was 1',
    ],
    ['an occupied leg is given away (T-26)', (it) => [it.replace(0, cy, 5n)], 'assignLeg found leg 0 pending'],
    [
      'a disputed leg is confirmed (T-34)',
      (it) => [...DISPUTED(it), it.end(FIRST, passerBy)],
      'confirmLeg found leg 0 disputed',
    ],
    [
      'a carried leg is confirmed by nobody who took it over (T-32)',
      (it) => [it.moves.take(FIRST), it.end(FIRST, ben)],
      'confirmLeg found leg 0 carried',
    ],
    [
      'a claim is reclaimed (T-37)',
      (it) => [it.moves.take(FIRST), it.moves.claim(FIRST), it.reclaimFrom([])],
      'reclaimPackage found leg 0 claimed',
    ],
    [
      'a dispute is reclaimed (T-37)',
      (it) => [...DISPUTED(it), it.reclaimFrom([])],
      'reclaimPackage found leg 0 disputed',
    ],
    [
      'what a ruling left is reclaimed (T-37)',
      (it) => [...DISPUTED(it), it.moves.rule(FIRST, { percent: 33 }), it.reclaimFrom([])],
      'reclaimPackage found leg 0 ruled',
    ],
  ];

  test.each(gaps)('is refused when %s', async (_, moves, says) => {
    await expect(played(moves)).rejects.toThrow(says);
    await expect(played(moves)).rejects.toThrow(GapError);
  });
});
