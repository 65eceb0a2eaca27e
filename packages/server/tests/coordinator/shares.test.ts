import { setTimeout as sleep } from 'node:timers/promises';
import { createUuid, toLamports } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { mayDecide, spend } from '../../src/coordinator/funds.js';
import { connect, type Db } from '../../src/db/connect.js';
import { addIntent } from '../../src/db/outbox.js';
import { holdShare, readPromised, takeStaleSharesBack } from '../../src/money/promises.js';
import { lockFunds } from '../../src/money/sponsorshipRows.js';
import { inTransaction } from '../../src/db/transaction.js';
import { withTestDatabase } from '../support/database.js';
import { migrateAt } from '../support/service.js';

const database = withTestDatabase(migrateAt);
const RESERVE = 1_000n;
/** Connections for those who wait for their turn, and for those who decide: the former may all be taken. */
interface Service {
  lines: Db;
  deciders: Db;
}
let services: [Service, Service];
let db: Db;
const open = () => connect(database.connectionString, 6, () => undefined);
beforeAll(() => {
  db = open();
  services = [
    { lines: open(), deciders: open() },
    { lines: open(), deciders: open() },
  ];
});
afterAll(() =>
  Promise.all([db, ...services.flatMap(({ lines, deciders }) => [lines, deciders])].map((one) => one.destroy())),
);
const empty = () => sql`truncate outbox, fund_shares`.execute(db);
beforeEach(empty);

/** A coordinator with so much; nothing that it decides lands, so that all of it stays promised. */
const withBalance = (balance: bigint) =>
  ({
    config: { coordinatorReserve: toLamports(RESERVE) },
    funds: { balance: () => Promise.resolve(toLamports(balance)) },
  }) as unknown as Parameters<typeof mayDecide>[0];

type End = 'decides' | 'changes its mind' | 'dies before it decides' | 'dies once it has decided';
interface Decision {
  cost: number;
  service: 0 | 1;
  end: End;
}

/** Decides as an evaluation does: who is to decide waits in one transaction, and decides in another. @returns whether it did */
async function decide(balance: bigint, { cost, service, end }: Decision): Promise<boolean> {
  const { lines, deciders } = services[service];
  const lamports = toLamports(BigInt(cost));
  let decided = false;
  await inTransaction(lines, async (line) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(line);
    const die = () => sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db);
    const allowance = await mayDecide(withBalance(balance), line, lamports);
    if (allowance === undefined || end === 'changes its mind') return;
    if (end === 'dies before it decides') {
      await die();
      return;
    }
    await inTransaction(
      deciders,
      async (trx) => {
        const key = createUuid();
        await addIntent(trx, { kind: 'settle', subject: key, key, swarmId: key, costLamports: lamports });
        await spend(trx, allowance, lamports);
      },
      'serializable',
    );
    decided = true;
    if (end === 'dies once it has decided') await die();
  }).catch((error: unknown) => {
    if (!end.startsWith('dies')) throw error;
  });
  return decided;
}

const promised = async () => {
  const { rows } = await sql<{ sum: bigint }>`select coalesce(sum(cost_lamports), 0)::int8 as sum from outbox`.execute(
    db,
  );
  return rows[0]?.sum ?? 0n;
};

const someDecisions = fc.array(
  fc.record<Decision>({
    cost: fc.integer({ min: 1, max: 3 }),
    service: fc.constantFrom(0, 1),
    end: fc.oneof(
      { weight: 8, arbitrary: fc.constant<End>('decides') },
      fc.constantFrom<End>('changes its mind', 'dies before it decides', 'dies once it has decided'),
    ),
  }),
  { minLength: 8, maxLength: 30 },
);

/** Some decide at once, while somebody else has the funds for a while, or after shares have become stale. */
const rounds = fc.array(fc.record({ some: someDecisions, holdsMs: fc.nat(20), stale: fc.boolean() }), {
  minLength: 2,
  maxLength: 4,
});

test('whoever decides at once on whatever services, and dies meanwhile, no more is promised than there is (M-72)', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, fc.integer({ min: 0, max: 120 }), async (all, percent) => {
      await empty();
      const wanted = all.flatMap(({ some }) => some).reduce((sum, { cost }) => sum + cost, 0);
      const above = BigInt(Math.floor((wanted * percent) / 100));
      for (const { some, holdsMs, stale } of all) {
        if (stale) await sql`update fund_shares set granted_at = granted_at - interval '1 hour'`.execute(db);
        const held = inTransaction(db, (trx) => lockFunds(trx).then(() => sleep(holdsMs)));
        await Promise.all([held, ...some.map((one) => decide(RESERVE + above, one))]);
        expect(await promised()).toBeLessThanOrEqual(above);
      }
    }),
    { numRuns: 40 },
  );
});

test('a share that is stale counts for as long as somebody is spending of it (M-72)', async () => {
  const counted = () => inTransaction(db, (trx) => lockFunds(trx).then(() => readPromised(trx, 0)));
  const takeBack = () => inTransaction(db, (trx) => lockFunds(trx).then(() => takeStaleSharesBack(trx)));
  await inTransaction(services[0].lines, async (line) => {
    let share: bigint | undefined;
    while (share === undefined) {
      await empty();
      await sql`insert into fund_shares (lamports, granted_at) values (50, clock_timestamp() - interval '2 seconds')`.execute(
        db,
      );
      share = await holdShare(line, toLamports(10n));
    }
    // By the database's clock it is stale then.
    await sql`select pg_sleep(1.5)`.execute(db);
    await takeBack();
    expect(await counted()).toBe(50n);
  });
  await takeBack();
  expect(await counted()).toBe(0n);
});

test('what is left of shares is there for others once they are stale (M-72)', async () => {
  const balance = RESERVE + 1_000n;
  const many = Array.from(
    { length: 30 },
    (_, index): Decision => ({ cost: 10, service: index % 2 === 0 ? 0 : 1, end: 'decides' }),
  );
  await Promise.all(many.map((one) => decide(balance, one)));
  await sql`update fund_shares set granted_at = granted_at - interval '1 hour'`.execute(db);
  const rest = 1_000 - Number(await promised());
  expect(await decide(balance, { cost: rest + 1, service: 0, end: 'decides' })).toBe(false);
  expect(await decide(balance, { cost: rest, service: 0, end: 'decides' })).toBe(true);
});

test('a decision does not wait for another that holds the funds, where there are shares (M-72)', async () => {
  const balance = RESERVE + 1_000_000n;
  const one: Decision = { cost: 10, service: 0, end: 'decides' };
  await inTransaction(db, async (line) => {
    expect(await mayDecide(withBalance(balance), line, toLamports(10n))).toEqual({ share: undefined });
    // The first that finds the funds locked waits, and grants shares.
    const first = decide(balance, { ...one, service: 1 });
    await expect.poll(() => waitingForFunds(), { timeout: 60_000 }).toBe(1);
    return { first };
  }).then(({ first }) => first);
  await inTransaction(db, async (line) => {
    await mayDecide(withBalance(balance), line, toLamports(10n));
    expect(await Promise.all([decide(balance, one), decide(balance, { ...one, service: 1 })])).toEqual([true, true]);
  });
  const counted = await inTransaction(db, (trx) => readPromised(trx, 0));
  expect(counted).toBeGreaterThan(await promised());
});

const waitingForFunds = async () => {
  const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted`.execute(db);
  return rows.length;
};
