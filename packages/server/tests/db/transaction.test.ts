import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { type IsolationLevel, sql } from 'kysely';
import { DatabaseError } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connect, type Db, openPool, SEALED, type Trx } from '../../src/db/connect.js';
import { atEnd, inTransaction } from '../../src/db/transaction.js';
import { Waker } from '../../src/loop.js';
import { withTestDatabase } from '../support/database.js';
import { migrateAt } from '../support/service.js';

const database = withTestDatabase(migrateAt);
let db: Db;
beforeAll(async () => {
  // One connection: what a use of it leaves behind, the next one meets.
  db = connect(database.connectionString, 1, () => undefined);
  await sql`create table noted (place serial, word text unique)`.execute(db);
});
afterAll(() => db.destroy());
beforeEach(() => sql`truncate noted`.execute(db));

const note = (trx: Trx, word: string) => sql`insert into noted (word) values (${word})`.execute(trx);
const look = (trx: Trx) => sql`select word from noted`.execute(trx);

async function noted(): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`select word from noted order by place`.execute(db);
  return rows.map(({ word }) => word);
}

/** What PgBouncer takes at the start of a connection, however it is set up. */
const POOLED = new Set(['application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings']);
const NO_SUCH_LEVEL = 'imaginary' as IsolationLevel;

test.each([
  ['a word', (trx: Trx) => note(trx, 'written')],
  ['a look and a word', (trx: Trx) => Promise.all([look(trx), note(trx, 'written')])],
  ['a word after a look', (trx: Trx) => look(trx).then(() => note(trx, 'written'))],
])('%s is not written where no transaction could begin', async (_, work) => {
  await expect(inTransaction<unknown>(db, work, NO_SUCH_LEVEL)).rejects.toThrow(DatabaseError);
  expect(await noted()).toEqual([]);
});

test('statements under way together run in the order of their calls, and count together', async () => {
  const words = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(words, fc.array(fc.boolean()), async (some, looks) => {
      const usable = some.filter((word) => !word.includes('\0'));
      await sql`truncate noted`.execute(db);
      const seen = await inTransaction(db, async (trx) => {
        await Promise.all(usable.flatMap((word, index) => [...(looks[index] ? [look(trx)] : []), note(trx, word)]));
        return look(trx);
      });
      expect(seen.rows).toHaveLength(usable.length);
      expect(await noted()).toEqual(usable);
    }),
    { numRuns: 50 },
  );
});

test('of several that fail the first is thrown, whichever is heard of first, and nothing counts', async () => {
  /** Hears of the answer, good or bad, so much later. */
  async function late(trx: Trx, word: string, hops: number): Promise<unknown> {
    const [answer] = await Promise.allSettled([note(trx, word)]);
    for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }
  for (const hops of [0, 1, 5, 50]) {
    const work = (trx: Trx) => Promise.all([note(trx, 'once'), late(trx, 'once', hops), look(trx), note(trx, 'after')]);
    await expect(inTransaction(db, work)).rejects.toMatchObject({ code: '23505' });
  }
  expect(await noted()).toEqual([]);
});

test('a failure that the work did not look at is one all the same', async () => {
  const work = async (trx: Trx) => {
    await Promise.allSettled([note(trx, 'once'), note(trx, 'once')]);
    return 'done';
  };
  await expect(inTransaction(db, work)).rejects.toMatchObject({ code: '23505' });
  expect(await noted()).toEqual([]);
});

test('work that has not heard of a failure beside it writes nothing any more', async () => {
  const over = new Waker();
  let goesOn: Promise<unknown> = Promise.resolve();
  const work = async (trx: Trx) => {
    goesOn = over.rest(600_000).then(() => note(trx, 'too late'));
    await look(trx);
    throw new Error('refused');
  };
  await expect(inTransaction(db, work)).rejects.toThrow('refused');
  over.wake();
  await expect(goesOn).rejects.toThrow('the transaction has ended');
  expect(await noted()).toEqual([]);
});

const often = async (run: () => Promise<unknown>) => {
  for (let times = 0; times < 10; times += 1) await run();
};

test.each([
  ['outside a transaction', (run: (trx: Trx | Db) => Promise<unknown>) => run(db)],
  ['in one', (run: (trx: Trx | Db) => Promise<unknown>) => inTransaction(db, run)],
])('a prepared statement goes on when a newer version has added a column, %s', async (where, within) => {
  const column = sql.ref(where.replaceAll(' ', '_'));
  const all = async (from: Trx | Db) => (await sql`select * from noted limit 1`.execute(from)).rows;
  await sql`insert into noted (word) values ('here')`.execute(db);
  await often(() => within(all));
  await sql`alter table noted add column ${column} int default 7`.execute(db);
  expect(await within(all)).toEqual([expect.objectContaining({ word: 'here', [where.replaceAll(' ', '_')]: 7 })]);
});

test('however many different statements come, a connection keeps a bounded number of them prepared', async () => {
  for (let index = 0; index < 450; index += 1) {
    await often(() => sql`select ${sql.lit(index)}::int4 as number`.execute(db));
  }
  const { rows } = await sql<{ kept: number }>`select count(*)::int4 as kept from pg_prepared_statements`.execute(db);
  expect(rows[0]?.kept).toBeLessThanOrEqual(400);
  expect(rows[0]?.kept).toBeGreaterThan(0);
});

test('what is left for the end runs behind everything else, in order, and answers its callers', async () => {
  const told = await inTransaction(db, async (trx) => {
    const answers = ['last', 'the very last'].map((word) => atEnd(trx, () => note(trx, word)));
    await note(trx, 'first');
    return answers.map((answer) => answer.then(({ numAffectedRows }) => numAffectedRows));
  }).then((answers) => Promise.all(answers));
  expect(told).toEqual([1n, 1n]);
  expect(await noted()).toEqual(['first', 'last', 'the very last']);
});

test.each([
  ['at the end', async (trx: Trx) => void atEnd(trx, () => note(trx, 'once'))],
  ['before', (trx: Trx) => note(trx, 'once')],
  ['both', async (trx: Trx) => void (await note(trx, 'other'), atEnd(trx, () => note(trx, 'once')))],
])('a failure %s takes back what came before it and behind it, and its caller hears of it', async (_, again) => {
  const work = async (trx: Trx) => {
    await note(trx, 'once');
    await again(trx);
    void atEnd(trx, () => note(trx, 'once'));
    void atEnd(trx, () => note(trx, 'behind'));
  };
  await expect(inTransaction(db, work)).rejects.toMatchObject({ code: '23505' });
  expect(await noted()).toEqual([]);
  await inTransaction(db, (trx) => note(trx, 'the connection is good'));
  expect(await noted()).toEqual(['the connection is good']);
});

test.each([
  ['at once', 0],
  ['later', 50],
])('a statement for the end that fails %s on its way takes back those beside it', async (_, hops) => {
  const fail = async (): Promise<never> => {
    for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
    throw new Error('not sent');
  };
  const work = async (trx: Trx) => {
    await note(trx, 'before');
    void atEnd(trx, () => note(trx, 'beside'));
    void atEnd(trx, fail);
    void atEnd(trx, () => note(trx, 'behind'));
  };
  await expect(inTransaction(db, work)).rejects.toThrow('not sent');
  expect(await noted()).toEqual([]);
  await inTransaction(db, (trx) => note(trx, 'the connection is good'));
  expect(await noted()).toEqual(['the connection is good']);
});

test('a parameter for the end that is refused takes back the statements beside it (S-148)', async () => {
  const work = async (trx: Trx) => {
    void atEnd(trx, () => note(trx, 'beside'));
    void atEnd(trx, () => note(trx, `${SEALED}forged`));
  };
  await expect(inTransaction(db, work)).rejects.toThrow('only this service writes');
  expect(await noted()).toEqual([]);
});

test('a serialization failure at the commit begins the work again, with what was left for its end', async () => {
  const other = connect(database.connectionString, 2, () => undefined);
  try {
    let tries = 0;
    const count = (trx: Trx) => sql<{ n: bigint }>`select count(*) as n from noted`.execute(trx);
    await inTransaction(
      other,
      async (trx) => {
        tries += 1;
        await count(trx);
        if (tries === 1) {
          await inTransaction(
            other,
            async (second) => {
              await count(second);
              void atEnd(second, () => note(second, 'second'));
            },
            'serializable',
          );
        }
        void atEnd(trx, () => note(trx, `try ${tries}`));
      },
      'serializable',
    );
    expect(tries).toBe(2);
    expect(await noted()).toEqual(['second', 'try 2']);
  } finally {
    await other.destroy();
  }
});

test('a connection begins with nothing that a pooler refuses, and has its bounds in PostgreSQL all the same (S-81)', async () => {
  const pooler = createServer().listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  const { port } = pooler.address() as AddressInfo;
  const pool = openPool(`postgresql://relay@127.0.0.1:${port}/relay?sslmode=disable`, 1, () => undefined, 9_000);
  const refused = pool.query('select 1').catch(() => undefined);
  const [socket] = (await once(pooler, 'connection')) as [Socket];
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  await Promise.all([refused, pool.end(), new Promise((resolve) => pooler.close(resolve))]);
  const [, user, , , ...named] = first.subarray(8).toString('latin1').split('\0');
  expect(user).toBe('relay');
  const names = named.filter((text, index) => index % 2 === 0 && text !== '');
  expect(names.filter((name) => !POOLED.has(name))).toEqual([]);

  const bounded = openPool(database.connectionString, 1, () => undefined, 9_000);
  const { rows } = await bounded.query<Record<string, string>>(
    `select current_setting('statement_timeout') as query, current_setting('idle_in_transaction_session_timeout') as idle`,
  );
  await bounded.end();
  expect(rows).toEqual([{ query: '8s', idle: '8s' }]);
});
