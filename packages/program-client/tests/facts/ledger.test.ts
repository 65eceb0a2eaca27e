import { getOpenReputationInstruction } from '@legwork/program-client';
import { createNoopSigner } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Life, life } from './fates.js';
import { GapError, interleaved, replayed, type Transaction } from './histories.js';
import { anyAddress, decoded, programAddress } from './instructions.js';
import { PackageOnLedger } from './packageOnLedger.js';

/** How often each is in the lists. */
function countsOf(lists: readonly (readonly string[])[]): Record<string, bigint> {
  const counts: Record<string, bigint> = {};
  for (const name of lists.flat()) counts[name] = (counts[name] ?? 0n) + 1n;
  return counts;
}

/** The counts of legs that the agents of these lives accepted and completed, over packages and digital tasks. */
function reputationsOf(lives: readonly Life[]): Map<string, { accepted: bigint; completed: bigint }> {
  const completed = countsOf(lives.map((one) => one.completed));
  const accepted = Object.entries(countsOf(lives.map((one) => one.accepted)));
  return new Map(accepted.map(([agent, count]) => [agent, { accepted: count, completed: completed[agent] ?? 0n }]));
}

test('packages and digital tasks do not mix, however their transactions interleave, and reputations add up over both (P-35, P-45, P-77, P-85)', async () => {
  const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 6 }), picks, async (begin, order) => {
      const lives = await Promise.all(begin.map((one) => one()));
      const histories = lives.map(({ transactions }) => transactions);
      const facts = replayed(interleaved(histories, order));
      expect(facts.packages.size + facts.tasks.size).toBe(lives.length);
      for (const { found, is } of lives) expect(found(facts)).toMatchObject(is);
      const counted = [...facts.reputations].map(
        ([agent, { accepted, completed }]) => [agent, { accepted, completed }] as const,
      );
      expect(new Map(counted)).toEqual(reputationsOf(lives));
    }),
    { numRuns: 120 },
  );
});

test('a reputation that was opened counts nothing until a leg is accepted, and is opened once (P-100)', async () => {
  const [courier, payer] = [await anyAddress(), await anyAddress()];
  const accounts = { payer: createNoopSigner(payer), agent: courier, reputation: courier };
  const open = [decoded(getOpenReputationInstruction(accounts, { programAddress }))];
  const parcel = await PackageOnLedger.of([courier], [30n]);
  const countsAfter = (transactions: readonly Transaction[]) => replayed(transactions).reputations.get(courier);
  expect(countsAfter([open])).toMatchObject({ address: courier, accepted: 0n, completed: 0n, signature: 'tx0' });
  const formed = [open, [parcel.list()], parcel.form()];
  expect(countsAfter(formed)).toMatchObject({ accepted: 1n, completed: 0n, signature: 'tx2' });
  for (const again of [[open], formed]) expect(() => replayed([...again, open])).toThrow(GapError);
});
