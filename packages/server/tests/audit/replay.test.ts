import type { RelayInstruction } from '@agent-relay/program-client';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AuditImpossible } from '../../src/audit/auditImpossible.js';
import { completedLegs, type LedgerFacts, noFacts } from '../../src/audit/facts.js';
import { replay } from '../../src/audit/replay.js';
import { PackageOnLedger } from './instructions.js';

type Transaction = RelayInstruction[];

const couriers: Address[] = await Promise.all(
  Array.from({ length: 4 }, async () => (await generateKeyPairSigner()).address),
);

/** Signatures are `tx0`, `tx1`, ... */
function replayed(transactions: readonly Transaction[]): LedgerFacts {
  const facts = noFacts();
  transactions.forEach((instructions, index) => replay(facts, { signature: `tx${index}`, instructions }));
  return facts;
}

async function twoLegs(): Promise<PackageOnLedger> {
  return PackageOnLedger.of(couriers.slice(0, 2), [30n, 50n]);
}

/** A whole life, one transaction after the other. */
function life(item: PackageOnLedger): Transaction[] {
  return [[item.list()], item.form(), [item.confirm(0)], [item.confirm(1)], [item.settle()], [item.close()]];
}

describe('what the transactions of a package add up to', () => {
  test('a delivery, closed (P-44, P-50, P-67)', async () => {
    const item = await twoLegs();
    const facts = replayed(life(item));
    expect(facts.packages.get(item.address)).toMatchObject({
      id: item.id,
      status: 'delivered',
      statusSignature: 'tx4',
      closeSignature: 'tx5',
      listSignature: 'tx0',
      budgetLamports: 90n,
      paidLamports: 80n,
      formation: {
        number: 1,
        formSignature: 'tx1',
        totalLegs: 2,
        totalLamports: 80n,
        legs: [
          { courier: couriers[0], paymentLamports: 30n, confirmSignature: 'tx2' },
          { courier: couriers[1], paymentLamports: 50n, confirmSignature: 'tx3' },
        ],
      },
    });
    expect(facts.reputations.get(couriers[1] ?? '')).toMatchObject({ accepted: 1n, completed: 1n, signature: 'tx3' });
  });

  test('a listing taken back in the transaction that made it', async () => {
    const item = await twoLegs();
    const { packages } = replayed([[item.list(), item.cancel()]]);
    expect(packages.get(item.address)).toMatchObject({ status: 'cancelled', statusSignature: 'tx0', paidLamports: 0n });
  });

  test('what was paid before a reclaim stays paid, and the leg not carried counts as accepted (P-35, P-56)', async () => {
    const item = await twoLegs();
    const facts = replayed([[item.list()], item.form(), [item.confirm(0)], [item.reclaim()]]);
    expect(facts.packages.get(item.address)).toMatchObject({ status: 'reclaimed', paidLamports: 30n });
    expect(facts.reputations.get(couriers[1] ?? '')).toMatchObject({ accepted: 1n, completed: 0n });
  });

  test('a swarm whose legs are assigned one by one is forming until the last (P-31)', async () => {
    const item = await twoLegs();
    const [formed, first, second] = item.form();
    const begun = [[item.list()], [formed, first].filter((one) => one !== undefined)];
    expect(replayed(begun).packages.get(item.address)?.status).toBe('forming');
    const facts = replayed([...begun, second ? [second] : []]);
    expect(facts.packages.get(item.address)?.status).toBe('in_transit');
  });
});

describe('a history with a gap', () => {
  test.each([0, 1, 2, 3, 4])('is refused when transaction %i of a life is missing', async (missing) => {
    const transactions = life(await twoLegs());
    expect(() => replayed(transactions.toSpliced(missing, 1))).toThrow(AuditImpossible);
  });

  test.each([0, 1, 2, 3, 4, 5])('is refused when transaction %i of a life is there twice', async (repeated) => {
    const transactions = life(await twoLegs());
    expect(() => replayed([...transactions.slice(0, repeated + 1), ...transactions.slice(repeated)])).toThrow(
      `Transaction tx${repeated + 1} cannot follow`,
    );
  });

  test('is refused when a confirmation is of another formation (P-38)', async () => {
    const item = await twoLegs();
    expect(() => replayed([[item.list()], item.form(), [item.confirm(0, 2)]])).toThrow(AuditImpossible);
  });

  test('is refused when a complete swarm was reclaimed (P-55)', async () => {
    const item = await twoLegs();
    const confirmed = [[item.list()], item.form(), [item.confirm(0)], [item.confirm(1)]];
    expect(() => replayed([...confirmed, [item.reclaim()]])).toThrow('reclaimPackage found 2 legs confirmed');
  });
});

/** How far a package gets: so many legs confirmed of so many, then perhaps its end. */
const fate = fc.record({
  carriers: fc.array(fc.nat({ max: couriers.length - 1 }), { minLength: 1, maxLength: 7 }),
  payments: fc.array(fc.bigInt({ min: 1n, max: 1_000_000n }), { minLength: 7, maxLength: 7 }),
  confirmed: fc.nat({ max: 7 }),
  ends: fc.boolean(),
  formed: fc.boolean(),
});

type Fate = typeof fate extends fc.Arbitrary<infer T> ? T : never;

/** What the package of a fate goes through, and what it is in the end. */
async function played({ carriers, payments, confirmed, ends, formed }: Fate) {
  const agents = carriers.map((carrier) => couriers[carrier] ?? couriers[0]).filter((one) => one !== undefined);
  const paid = payments.slice(0, agents.length);
  const item = await PackageOnLedger.of(agents, paid);
  if (!formed) {
    const transactions = [[item.list()], ...(ends ? [[item.cancel()]] : [])];
    return { item, agents: [], done: 0, paid: 0n, transactions, status: ends ? 'cancelled' : 'listed' };
  }
  const done = Math.min(confirmed, agents.length);
  const complete = done === agents.length;
  const confirmations = Array.from({ length: done }, (_, index) => [item.confirm(index)]);
  const end = complete ? item.settle() : item.reclaim();
  const transactions = [[item.list()], item.form(), ...confirmations, ...(ends ? [[end]] : [])];
  const ended = complete ? 'delivered' : 'reclaimed';
  const sum = paid.slice(0, done).reduce((total, payment) => total + payment, 0n);
  return { item, agents, done, paid: sum, transactions, status: ends ? ended : 'in_transit' };
}

/** Merges histories into one that keeps the order of each. */
function interleaved(histories: readonly Transaction[][], picks: readonly number[]): Transaction[] {
  const rest = histories.map((history) => [...history]);
  const merged: Transaction[] = [];
  for (let step = 0; rest.some((history) => history.length > 0); step += 1) {
    const open = rest.filter((history) => history.length > 0);
    merged.push(open[(picks[step % picks.length] ?? 0) % open.length]?.shift() ?? []);
  }
  return merged;
}

test('packages do not mix, however their transactions interleave, and reputations add up over them (P-35, P-45)', async () => {
  const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { minLength: 1, maxLength: 6 }), picks, async (fates, order) => {
      const lives = await Promise.all(fates.map(played));
      const facts = replayed(
        interleaved(
          lives.map(({ transactions }) => transactions),
          order,
        ),
      );
      expect(facts.packages.size).toBe(lives.length);
      const accepted = new Map<string, bigint>();
      const completed = new Map<string, bigint>();
      for (const { item, agents, done, paid, status } of lives) {
        const found = facts.packages.get(item.address);
        expect(found).toMatchObject({ status, paidLamports: paid, budgetLamports: item.budget });
        expect(completedLegs(found?.formation).length).toBe(done);
        agents.forEach((agent, index) => {
          accepted.set(agent, (accepted.get(agent) ?? 0n) + 1n);
          completed.set(agent, (completed.get(agent) ?? 0n) + (index < done ? 1n : 0n));
        });
      }
      expect(new Map([...facts.reputations].map(([agent, found]) => [agent, found.accepted]))).toEqual(accepted);
      expect(new Map([...facts.reputations].map(([agent, found]) => [agent, found.completed]))).toEqual(completed);
    }),
    { numRuns: 60 },
  );
});
