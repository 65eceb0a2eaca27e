import type { RelayInstruction } from '@legwork/program-client';
import type { Address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { AuditImpossibleError } from '../../src/errors.js';
import { type PackageFacts, poolOf } from '../../src/replay/packageFacts.js';
import { BEGAN, replayed, STEP, type Told, type Transaction } from './histories.js';
import { anyAddress, coordinator } from './instructions.js';
import { DEADLINE } from './packageOnLedger.js';
import { type Holder, STAKE } from './movesOnLedger.js';
import { TermsOnLedger } from './termsOnLedger.js';

const [ada, ben, cy, passerBy]: Address[] & [Address, Address, Address, Address] = [
  await anyAddress(),
  await anyAddress(),
  await anyAddress(),
  await anyAddress(),
];
const FIRST: Holder = { index: 0, courier: ada };
const SECOND: Holder = { index: 1, courier: ben };
const [PAYMENT, OTHER_PAYMENT] = [301n, 500n];
/** The transactions of listing and formation come first. */
const FORMED = 2;

const atOf = (transaction: number) => BEGAN + STEP * BigInt(transaction);

interface Played {
  parcel: TermsOnLedger;
  found: PackageFacts;
  leg: (index: number) => NonNullable<PackageFacts['formation']>['legs'][number];
}

/** Lists and forms a package of two legs, and then lets each instruction land in a transaction of its own. */
async function played(
  moves: (parcel: TermsOnLedger) => (RelayInstruction | Transaction)[],
  told: Told = {},
): Promise<Played> {
  const parcel = await TermsOnLedger.of([ada, ben], [PAYMENT, OTHER_PAYMENT]);
  const done = moves(parcel).map((one) => (Array.isArray(one) ? one : [one]));
  const found = replayed([[parcel.list()], parcel.form(), ...done], told).packages.get(parcel.address);
  if (!found) throw new Error('the package is listed');
  const leg = (index: number) => {
    const facts = found.formation?.legs[index];
    if (!facts) throw new Error('the swarm is formed');
    return facts;
  };
  return { parcel, found, leg };
}

describe('what the moves of a leg with terms add up to', () => {
  test('a formation gives every leg its number and its clock (T-4)', async () => {
    const { found, leg } = await played(() => []);
    expect(found.terms).toMatchObject({ stake: STAKE, carry: 400, handoff: 300, review: 500, arbitration: 600 });
    for (const index of [0, 1]) {
      expect(leg(index)).toMatchObject({ formation: 1, turn: { stage: 'pending', since: atOf(1), percent: null } });
    }
  });

  test('an accepted leg holds the stake, and a pickup begins its carrying (T-7, T-8)', async () => {
    const { parcel, found, leg } = await played((it) => [
      it.moves.accept(SECOND),
      it.moves.accept(FIRST),
      it.moves.take(FIRST),
    ]);
    const stake = { what: 'stake', from: ada, to: parcel.leg(0), lamports: STAKE };
    expect(leg(1).turn).toMatchObject({ stage: 'accepted', since: atOf(FORMED) });
    expect(leg(0).turn).toMatchObject({ stage: 'carried', since: atOf(FORMED + 2) });
    expect(found.formation?.steps).toMatchObject([
      { move: 'accept', signer: ben, signature: 'tx2' },
      { move: 'accept', signer: ada, movements: [stake], at: atOf(FORMED + 1) },
      { move: 'take', signer: ada, movements: [], signature: 'tx4' },
    ]);
  });

  test('a pickup of a pending leg posts the stake at once (T-8)', async () => {
    const { found } = await played((it) => [it.moves.take(FIRST)]);
    expect(found.formation?.steps).toMatchObject([{ move: 'take', movements: [{ what: 'stake', from: ada }] }]);
  });

  test('a handoff pays the leg, returns its stake and gives the parcel to the next courier (T-32, T-36)', async () => {
    const { parcel, found, leg } = await played((it) => [
      it.moves.take(FIRST),
      it.moves.accept(SECOND),
      it.end(FIRST, ben),
    ]);
    expect(leg(0)).toMatchObject({ confirmSignature: 'tx4', paidLamports: PAYMENT, turn: { stage: 'completed' } });
    expect(leg(1).turn).toMatchObject({ stage: 'carried', since: atOf(FORMED + 2) });
    expect(found.paidLamports).toBe(PAYMENT);
    const returned = { what: 'stake_returned', from: parcel.leg(0), to: ada, lamports: STAKE };
    expect(found.formation?.steps.slice(2)).toMatchObject([
      { move: 'confirm', leg: { index: 0 }, signer: ben, movements: [returned] },
      { move: 'handover', leg: { index: 1 }, signer: ben, movements: [] },
    ]);
  });

  test('the next courier who confirms a claim after the deadline takes nothing over (T-32, T-33)', async () => {
    const moves = (it: TermsOnLedger) => [
      it.moves.take(FIRST),
      it.moves.accept(SECOND),
      it.moves.claim(FIRST),
      it.end(FIRST, ben),
    ];
    const { leg } = await played(moves, { at: { [FORMED + 3]: DEADLINE } });
    expect(leg(0)).toMatchObject({ paidLamports: PAYMENT, turn: { stage: 'completed' } });
    expect(leg(1).turn).toMatchObject({ stage: 'accepted', since: DEADLINE });
    const before = await played(moves, { at: { [FORMED + 3]: DEADLINE - 1n } });
    expect(before.leg(1).turn).toMatchObject({ stage: 'carried', since: DEADLINE - 1n });
  });

  test("a claim that nobody contradicted is confirmed by anyone, and the next courier's turn begins (T-14, T-33)", async () => {
    const { leg } = await played((it) => [
      it.moves.take(FIRST),
      it.moves.accept(SECOND),
      it.moves.claim(FIRST),
      it.end(FIRST, passerBy),
    ]);
    expect(leg(0)).toMatchObject({ paidLamports: PAYMENT, turn: { evidenceHash: 'e1'.repeat(32) } });
    expect(leg(1).turn).toMatchObject({ stage: 'accepted', since: atOf(FORMED + 3) });
  });

  test('the receiver confirms the final leg (T-31)', async () => {
    const { found, leg } = await played((it) => [
      it.moves.take(FIRST),
      it.moves.accept(SECOND),
      it.end(FIRST, ben),
      it.end(SECOND, it.receiver),
      it.settle(),
    ]);
    expect(leg(1)).toMatchObject({ paidLamports: OTHER_PAYMENT, turn: { stage: 'completed' } });
    expect(found).toMatchObject({ status: 'delivered', paidLamports: PAYMENT + OTHER_PAYMENT, gainedLamports: 0n });
  });

  test('a courier who leaves in time gets its stake back (T-10)', async () => {
    const { parcel, found, leg } = await played((it) => [
      it.moves.accept(FIRST),
      it.moves.vacate(FIRST),
      it.moves.vacate(SECOND),
    ]);
    expect(leg(0).turn).toMatchObject({ stage: 'vacant', forfeitedLamports: 0n });
    const returned = { what: 'stake_returned', from: parcel.leg(0), to: ada, lamports: STAKE };
    expect(found.formation?.steps.slice(1)).toMatchObject([
      { move: 'leave', movements: [returned] },
      { move: 'leave', movements: [] },
    ]);
    expect(found.formation && poolOf(found.formation)).toBe(PAYMENT + OTHER_PAYMENT);
  });

  test.each([
    ['accepted', (it: TermsOnLedger) => it.moves.accept(FIRST)],
    ['carried', (it: TermsOnLedger) => it.moves.take(FIRST)],
  ])('the stake of a late courier, whose leg is %s, pays replacements (T-11, T-12, T-13)', async (_, begin) => {
    const { parcel, found, leg } = await played((it) => [begin(it), it.moves.vacate(FIRST, it.shipper)]);
    expect(leg(0).turn).toMatchObject({ stage: 'vacant', forfeitedLamports: STAKE });
    expect(found.formation && poolOf(found.formation)).toBe(PAYMENT + OTHER_PAYMENT + STAKE);
    expect(found.formation?.reservedLamports).toBe(PAYMENT + OTHER_PAYMENT);
    expect(found.gainedLamports).toBe(STAKE);
    const forfeited = { what: 'stake_forfeited', from: parcel.leg(0), to: parcel.vault, lamports: STAKE };
    expect(found.formation?.steps.at(-1)).toMatchObject({ move: 'evict', movements: [forfeited] });
  });

  test('a replacement has a number and a clock of its own (T-26, T-30)', async () => {
    const { found, leg } = await played((it) => [it.moves.vacate(FIRST, passerBy), it.replace(0, cy, 77n)]);
    expect(leg(0)).toMatchObject({
      courier: cy,
      paymentLamports: 77n,
      formation: 2,
      assignSignature: 'tx3',
      turn: { stage: 'pending', since: atOf(FORMED + 1) },
    });
    expect(found.formation).toMatchObject({
      number: 1,
      latestNumber: 2,
      assignedLamports: 77n + OTHER_PAYMENT,
      formerLegs: [{ courier: ada, formation: 1, turn: { stage: 'vacant', endedAt: atOf(FORMED + 1) } }],
    });
    expect(found.formation?.steps.at(-1)).toMatchObject({ move: 'replace', signer: coordinator });
  });

  test('a takeover names the larger number of both legs (T-35)', async () => {
    const next = { index: 1, courier: cy, number: 2 };
    const begin = (it: TermsOnLedger) => [
      it.moves.vacate(SECOND),
      it.replace(1, cy, 9n),
      it.moves.take(FIRST),
      it.moves.accept(next),
    ];
    const { leg } = await played((it) => [...begin(it), it.end(FIRST, cy, 2)]);
    expect(leg(1).turn).toMatchObject({ stage: 'carried' });
    await expect(played((it) => [...begin(it), it.end(FIRST, cy, 1)])).rejects.toThrow('leg 0 had the number 2');
  });
});

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
    expect(found.formation?.steps.slice(2)).toMatchObject([
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
    expect(found.formation?.steps.at(-1)).toMatchObject({
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
    const step = found.formation?.steps.at(-1);
    expect(step).toMatchObject({ move: 'rule', by: 'agreement', signer: parcel.shipper });
    expect(step?.movements).toMatchObject([{ what: 'stake_returned', to: ada, lamports: STAKE }]);
    const disputed = await played((it) => [...DISPUTED(it), it.moves.agree(FIRST, { percent: 10 })]);
    expect(disputed.found.formation?.steps.at(-1)?.movements).toHaveLength(2);
  });

  test('a ruled leg pays its part, rounded down, and no stake (T-34, T-36)', async () => {
    const { found, leg } = await played((it) => [
      ...DISPUTED(it),
      it.moves.rule(FIRST, { percent: 50 }),
      it.end(FIRST, passerBy),
    ]);
    expect(leg(0)).toMatchObject({ paidLamports: 150n, turn: { stage: 'completed', percent: 50 } });
    expect(found.paidLamports).toBe(150n);
    expect(found.formation?.steps.at(-1)).toMatchObject({ move: 'confirm', movements: [] });
  });

  test('a ruling of nothing makes the leg vacant (T-25)', async () => {
    const { found, leg } = await played((it) => [...DISPUTED(it), it.moves.rule(FIRST, { percent: 0 })]);
    expect(leg(0).turn).toMatchObject({ stage: 'vacant', percent: 0, forfeitedLamports: 0n });
    const step = found.formation?.steps.at(-1);
    expect(step).toMatchObject({ move: 'reject', percent: 0 });
    expect(step?.movements.map(({ what }) => what)).toEqual(['stake_returned', 'arbiter_fee']);
  });
});

describe('what a wallet cannot receive (T-17)', () => {
  const RULED = (it: TermsOnLedger) => [...DISPUTED(it), it.moves.rule(FIRST, { percent: 1 }), it.end(FIRST, passerBy)];
  const vaultGains = async (transaction: number, lamports: bigint) => {
    const parcel = await TermsOnLedger.of([ada, ben], [PAYMENT, OTHER_PAYMENT]);
    const done = RULED(parcel).map((one) => [one]);
    const gained = { [transaction]: { [parcel.vault]: lamports } };
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
    expect(kept?.formation?.steps.at(3)?.movements).toMatchObject([
      { to: kept?.vault, lamports: 30_000n },
      { to: kept?.poster },
      { what: 'arbiter_fee' },
    ]);
  });

  test('is not what a stranger gave to the vault', async () => {
    expect((await vaultGains(FORMED + 3, 12_345n))?.gainedLamports).toBe(0n);
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
    expect(found.formation?.steps.slice(2)).toMatchObject([
      { move: 'reclaim', leg: { index: 0 }, movements: [{ what: 'stake_forfeited', to: parcel.shipper }] },
      { move: 'reclaim', leg: { index: 1 }, movements: [{ what: 'stake_returned', to: ben }] },
    ]);
  });

  test('what a waiting courier cannot receive goes to the funder (T-39)', async () => {
    const moves = (it: TermsOnLedger) => [it.moves.accept(SECOND), it.reclaimFrom([ben])];
    const { parcel, found } = await played(moves, { gained: { [FORMED + 1]: { [ben]: 0n } } });
    expect(found.formation?.steps.at(-1)?.movements).toMatchObject([{ to: parcel.shipper, lamports: STAKE }]);
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
  ];

  test.each(gaps)('is refused when %s', async (_, moves, says) => {
    await expect(played(moves)).rejects.toThrow(says);
    await expect(played(moves)).rejects.toThrow(AuditImpossibleError);
  });
});
