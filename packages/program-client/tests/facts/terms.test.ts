import { describe, expect, test } from 'vitest';
import { poolOf } from '@legwork/program-client/facts';
import { coordinator } from './instructions.js';
import { STAKE } from './movesOnLedger.js';
import { DEADLINE } from './packageOnLedger.js';
import type { TermsOnLedger } from './termsOnLedger.js';
import { ada, atOf, ben, cy, FIRST, FORMED, OTHER_PAYMENT, passerBy, PAYMENT, played, SECOND } from './termsPlayed.js';

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
    expect(leg(1).turn).toMatchObject({ stage: 'accepted', since: atOf(FORMED), sinceSignature: 'tx2' });
    expect(leg(0).turn).toMatchObject({ stage: 'carried', since: atOf(FORMED + 2) });
    expect(found.steps).toMatchObject([
      { move: 'accept', signer: ben, signature: 'tx2' },
      { move: 'accept', signer: ada, movements: [stake], at: atOf(FORMED + 1) },
      { move: 'take', signer: ada, movements: [], signature: 'tx4' },
    ]);
  });

  test('a pickup of a pending leg posts the stake at once (T-8)', async () => {
    const { found } = await played((it) => [it.moves.take(FIRST)]);
    expect(found.steps).toMatchObject([{ move: 'take', movements: [{ what: 'stake', from: ada }] }]);
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
    expect(found.steps.slice(2)).toMatchObject([
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
    expect(leg(1).turn).toMatchObject({ stage: 'accepted', since: atOf(FORMED + 3), sinceSignature: 'tx5' });
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
    expect(found.steps.slice(1)).toMatchObject([
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
    expect(found.steps.at(-1)).toMatchObject({ move: 'evict', movements: [forfeited] });
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
    expect(found.steps.at(-1)).toMatchObject({ move: 'replace', signer: coordinator });
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
