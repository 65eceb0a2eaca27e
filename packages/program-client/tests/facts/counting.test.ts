import type { RelayInstruction } from '@legwork/program-client';
import { foldListing, type ListingFacts } from '@legwork/program-client/facts';
import { describe, expect, test } from 'vitest';
import { anyAddress } from './instructions.js';
import { anyTerms } from './movesOnLedger.js';
import { TaskOnLedger } from './taskOnLedger.js';
import type { TermsOnLedger } from './termsOnLedger.js';
import { ada, ben, FIRST, passerBy, played, SECOND } from './termsPlayed.js';

/** The gains of the agent's reputation by it: legs accepted, and legs completed. */
function countsOf({ counts }: ListingFacts, agent: string): [accepted: bigint, completed: bigint] {
  const own = counts.filter((count) => count.agent === agent);
  return [own.reduce((sum, count) => sum + count.accepted, 0n), own.reduce((sum, count) => sum + count.completed, 0n)];
}

describe('a leg with terms counts as accepted once, from when on it is its courier’s to lose (T-100)', () => {
  const accepted = (it: TermsOnLedger) => it.moves.accept(FIRST);
  const taken = (it: TermsOnLedger) => it.moves.take(FIRST);
  const claimed = (it: TermsOnLedger) => [taken(it), it.moves.claim(FIRST)];
  const cases: [what: string, done: (it: TermsOnLedger) => RelayInstruction[], counts: [bigint, bigint]][] = [
    ['not when it is assigned', () => [], [0n, 0n]],
    ['not when it is accepted', (it) => [accepted(it)], [0n, 0n]],
    ['when it is picked up', (it) => [taken(it)], [1n, 0n]],
    ['once, when it is claimed after that', claimed, [1n, 0n]],
    ['not when it is left in time', (it) => [accepted(it), it.moves.vacate(FIRST)], [0n, 0n]],
    ['not when nobody accepted it in time', (it) => [it.moves.vacate(FIRST, passerBy)], [0n, 0n]],
    ['when others take it from who is late', (it) => [accepted(it), it.moves.vacate(FIRST, passerBy)], [1n, 0n]],
    ['once, when it is completed', (it) => [...claimed(it), it.end(FIRST, passerBy)], [1n, 1n]],
  ];

  test.each(cases)('%s', async (_, done, counts) => {
    const { found } = await played(done);
    expect(countsOf(found, ada)).toEqual(counts);
  });

  test('when the parcel is taken over, for who takes it', async () => {
    const { found } = await played((it) => [taken(it), it.moves.accept(SECOND), it.end(FIRST, ben)]);
    expect([countsOf(found, ada), countsOf(found, ben)]).toEqual([
      [1n, 1n],
      [1n, 0n],
    ]);
  });

  test('when its parcel is received from who has only accepted it', async () => {
    const { found } = await played((it) => [
      taken(it),
      it.moves.accept(SECOND),
      it.end(FIRST, ben),
      it.end(SECOND, it.receiver),
    ]);
    expect(countsOf(found, ben)).toEqual([1n, 1n]);
    const alone = await played((it) => [
      it.moves.take(FIRST),
      it.moves.claim(FIRST),
      it.end(FIRST, passerBy),
      it.moves.accept(SECOND),
      it.end(SECOND, it.receiver),
    ]);
    expect(countsOf(alone.found, ben)).toEqual([1n, 1n]);
  });

  test('and so does one of a task, when its agent claims it', async () => {
    const [task, agent] = [await TaskOnLedger.of(1, 9n, await anyTerms()), await anyAddress()];
    const first = { index: 0, courier: agent };
    const transactions = [task.list(), task.assign(0, agent), task.moves.accept(first), task.moves.claim(first)];
    const after = (count: number) =>
      foldListing(
        task.address,
        transactions.slice(0, count).map((instruction, index) => {
          return { signature: `tx${index}`, instructions: [instruction], at: null, gained: new Map<string, bigint>() };
        }),
      );
    expect(after(3)).toMatchObject({ counts: [{ agent, reputation: agent, accepted: 0n }] });
    expect(after(4)).toMatchObject({ counts: [{ accepted: 0n }, { agent, accepted: 1n, signature: 'tx3' }] });
  });
});
