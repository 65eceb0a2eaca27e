import type { RelayInstruction } from '@legwork/program-client';
import type { Address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { formationOf, heldLegs, type TaskFacts } from '@legwork/program-client/facts';
import { GapError, BEGAN, replayed, STEP, type Told } from './histories.js';
import { anyAddress, coordinator } from './instructions.js';
import { anyTerms, hashOf, STAKE } from './movesOnLedger.js';
import { TaskOnLedger } from './taskOnLedger.js';

const [ada, ben, passerBy]: Address[] & [Address, Address, Address] = [
  await anyAddress(),
  await anyAddress(),
  await anyAddress(),
];
const terms = await anyTerms();
const FIRST = { index: 0, courier: ada };
const RESULT = hashOf(0xe1);
const SHARE = 45n;

const atOf = (transaction: number) => BEGAN + STEP * BigInt(transaction);

/** Lists a task of two legs, gives the first to Ada, and then lets each instruction land in a transaction of its own. */
async function played(
  done: (task: TaskOnLedger) => RelayInstruction[],
  toldOf: (task: TaskOnLedger) => Told = () => ({}),
): Promise<{ task: TaskOnLedger; found: TaskFacts; first: ReturnType<typeof heldLegs>[number] | undefined }> {
  const task = await TaskOnLedger.of(2, 91n, terms);
  const transactions = [task.list(), task.assign(0, ada), ...done(task)].map((one) => [one]);
  const found = replayed(transactions, toldOf(task)).tasks.get(task.address);
  if (!found) throw new Error('the task is listed');
  return { task, found, first: heldLegs(found)[0] };
}

const CLAIMED = ({ moves }: TaskOnLedger) => [moves.accept(FIRST), moves.claim(FIRST)];
const DISPUTED = (it: TaskOnLedger) => [...CLAIMED(it), it.moves.dispute(FIRST)];
const confirmed = (it: TaskOnLedger, signer: Address = passerBy) => it.confirm(0, ada, { signer, resultHash: RESULT });

describe('what the moves of a leg of a task with terms add up to', () => {
  test('an assignment gives the leg its number and its clock (T-4, T-73)', async () => {
    const { found, first } = await played(() => []);
    expect(found.terms).toMatchObject({ stake: STAKE, carry: 400, handoff: 300, review: 500, arbitration: 600 });
    expect(first).toMatchObject({ formation: 1, turn: { stage: 'pending', since: atOf(1), percent: null } });
  });

  test('a claim is confirmed by its poster, paid in full, and its stake returns (T-36)', async () => {
    const { task, found, first } = await played((it) => [...CLAIMED(it), confirmed(it, it.poster)]);
    expect(first).toMatchObject({
      confirmSignature: 'tx4',
      paidLamports: SHARE,
      resultHash: 'e1'.repeat(32),
      turn: { stage: 'completed', since: atOf(4), evidenceHash: 'e1'.repeat(32) },
    });
    expect(found).toMatchObject({ paidLamports: SHARE, gainedLamports: 0n });
    const leg = task.legs[0];
    expect(found.steps).toMatchObject([
      { move: 'assign', signer: coordinator },
      { move: 'accept', signer: ada, movements: [{ what: 'stake', from: ada, to: leg, lamports: STAKE }] },
      { move: 'claim', signer: ada, hash: 'e1'.repeat(32) },
      { move: 'confirm', signer: task.poster, movements: [{ what: 'stake_returned', from: leg, to: ada }] },
    ]);
  });

  test('a ruled leg pays its part, rounded down, and no stake (T-34, T-36)', async () => {
    const { found, first } = await played((it) => [
      ...DISPUTED(it),
      it.moves.rule(FIRST, { percent: 33 }),
      confirmed(it),
    ]);
    expect(first).toMatchObject({ paidLamports: 14n, turn: { stage: 'completed', percent: 33 } });
    expect(found.paidLamports).toBe(14n);
    expect(found.steps.at(-1)).toMatchObject({ move: 'confirm', movements: [] });
  });

  test('a rejected leg is released and given to another agent with a number of its own (T-25, T-30, T-73)', async () => {
    const { found, first } = await played((it) => [
      ...DISPUTED(it),
      it.moves.rule(FIRST, { percent: 0 }),
      it.release(0),
      it.assign(0, ben),
      it.moves.accept({ index: 0, courier: ben, number: 2 }),
    ]);
    expect(found.assignments).toMatchObject([
      { courier: ada, formation: 1, releaseSignature: 'tx6', turn: { stage: 'vacant', percent: 0 } },
      { courier: ben, formation: 2, releaseSignature: null, turn: { stage: 'accepted', percent: null } },
    ]);
    expect(first?.courier).toBe(ben);
    expect(formationOf(found)).toBe(2);
  });

  test('the stake of a late agent is in the vault, that of one who left is not (T-10, T-12)', async () => {
    const late = await played(({ moves }) => [moves.accept(FIRST), moves.vacate(FIRST, passerBy)]);
    expect(late.found.gainedLamports).toBe(STAKE);
    expect(late.first?.turn).toMatchObject({ stage: 'vacant', forfeitedLamports: STAKE });
    const left = await played(({ moves }) => [moves.accept(FIRST), moves.vacate(FIRST)]);
    expect(left.found.gainedLamports).toBe(0n);
    expect(left.found.steps.at(-1)).toMatchObject({ move: 'leave', movements: [{ to: ada, lamports: STAKE }] });
  });

  test('what an agent cannot receive stays in the vault (T-17)', async () => {
    const paid = (it: TaskOnLedger) => [...CLAIMED(it), confirmed(it)];
    const { found, first } = await played(paid, ({ vault }) => ({ gained: { 4: { [vault]: STAKE } } }));
    expect(first?.paidLamports).toBe(0n);
    expect(found).toMatchObject({ paidLamports: 0n, gainedLamports: STAKE });
    expect(found.steps.at(-1)?.movements).toMatchObject([{ to: found.vault, lamports: STAKE }]);
  });

  test('a reclaim returns the stake of an agent at work, to the funder if it cannot receive it (T-39)', async () => {
    const reclaimed = (it: TaskOnLedger) => [it.moves.accept(FIRST), it.reclaim([0], [ada])];
    const { found } = await played(reclaimed);
    expect(found.status).toBe('reclaimed');
    expect(found.steps.at(-1)).toMatchObject({ move: 'reclaim', movements: [{ what: 'stake_returned', to: ada }] });
    const kept = await played(reclaimed, () => ({ gained: { 3: { [ada]: 0n } } }));
    expect(kept.found.steps.at(-1)?.movements).toMatchObject([{ to: kept.task.poster, lamports: STAKE }]);
  });
});

describe('a history of moves of a task with a gap', () => {
  const gaps: [what: string, done: (it: TaskOnLedger) => RelayInstruction[], says: string][] = [
    ['a later leg is given away first (T-73)', (it) => [it.assign(1, ben)], 'leg 1 was given away before leg 0'],
    ['a leg is picked up like a parcel (T-90)', ({ moves }) => [moves.take(FIRST)], 'take found leg 0 pending'],
    [
      'a leg is claimed before it was accepted (T-14)',
      ({ moves }) => [moves.claim(FIRST)],
      'claim found leg 0 pending',
    ],
    ['nothing was claimed (T-15)', ({ moves }) => [moves.dispute(FIRST)], 'dispute found leg 0 pending'],
    [
      'a leg has another number (T-5)',
      ({ moves }) => [moves.accept({ ...FIRST, number: 2 })],
      'accept names 2, and leg 0 was 1',
    ],
    [
      'an accepted leg is released',
      (it) => [it.moves.accept(FIRST), it.release(0)],
      'releaseTaskLeg found leg 0 accepted',
    ],
    [
      'an accepted leg is confirmed',
      (it) => [it.moves.accept(FIRST), confirmed(it)],
      'another result than was claimed',
    ],
    ['another result is confirmed', (it) => [...CLAIMED(it), it.confirm(0, ada)], 'another result than was claimed'],
    ['a disputed leg is confirmed (T-34)', (it) => [...DISPUTED(it), confirmed(it)], 'confirm found leg 0 disputed'],
    ['a claim is reclaimed (T-37)', (it) => [...CLAIMED(it), it.reclaim([0])], 'reclaimTask found leg 0 claimed'],
  ];

  test.each(gaps)('is refused when %s', async (_, done, says) => {
    await expect(played(done)).rejects.toThrow(says);
    await expect(played(done)).rejects.toThrow(GapError);
  });

  test('is refused when a leg without terms is moved', async () => {
    const [plain, bound] = [await TaskOnLedger.of(1, 9n), await TaskOnLedger.of(1, 9n, terms)];
    const accept = bound.moves.accept(FIRST);
    const other = { ...accept, accounts: { ...accept.accounts, listing: { address: plain.address } } };
    const done = [[plain.list()], [plain.assign(0, ada)], [other as RelayInstruction]];
    expect(() => replayed(done)).toThrow('accept found no terms of leg');
  });
});
