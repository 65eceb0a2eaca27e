import { FINALITIES, type Finality } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Db } from '../../src/db/connect.js';
import { finalityOf, readNotFinal } from '../../src/db/finality.js';
import { withTestDatabase } from '../support/database.js';
import { migrateAt } from '../support/service.js';

const database = withTestDatabase(migrateAt);
let db: Db;
beforeAll(() => {
  db = connect(database.connectionString, 2, () => undefined);
});
afterAll(() => db.destroy());

const SUBJECTS = ['package:1', 'package:2', 'task:1', 'task:2'];

interface Landed {
  subjects: string[];
  finality: Finality;
}

const landed: fc.Arbitrary<Landed> = fc.record({
  subjects: fc.subarray(SUBJECTS),
  finality: fc.constantFrom(...FINALITIES),
});

async function write(transactions: readonly Landed[]): Promise<void> {
  await db.deleteFrom('ledger_transactions').execute();
  if (transactions.length === 0) return;
  const rows = transactions.map(({ subjects, finality }, index) => ({
    signature: `tx${index}`,
    slot: BigInt(index),
    position: finality === 'final' ? BigInt(index) : null,
    reverted_at: finality === 'reverted' ? new Date() : null,
    subjects,
  }));
  await db.insertInto('ledger_transactions').values(rows).execute();
}

/** The least sure of them. */
function leastSure(transactions: readonly Landed[]): Finality {
  const found = new Set(transactions.map(({ finality }) => finality));
  if (found.has('reverted')) return 'reverted';
  return found.has('confirmed') ? 'confirmed' : 'final';
}

test('a listing is as sure as the least sure of its transactions, a payment as the one that paid it (S-110)', async () => {
  const property = fc.asyncProperty(fc.array(landed, { maxLength: 12 }), async (transactions) => {
    await write(transactions);
    const notFinal = await readNotFinal(db, SUBJECTS);
    for (const subject of SUBJECTS) {
      const own = transactions.filter(({ subjects }) => subjects.includes(subject));
      expect(finalityOf(notFinal, subject)).toBe(leastSure(own));
    }
    for (const [index, { subjects, finality }] of transactions.entries()) {
      const said = subjects.map((subject) => finalityOf(notFinal, subject, `tx${index}`));
      expect(said).toEqual(subjects.map(() => finality));
    }
  });
  await expect(fc.assert(property, { numRuns: 100 })).resolves.toBeUndefined();
});

test('what is said of a listing depends on no other listing (S-110)', async () => {
  await write([{ subjects: ['package:2', 'task:1'], finality: 'reverted' }]);
  const notFinal = await readNotFinal(db, ['package:1', 'task:2']);
  expect(['package:1', 'task:2'].map((subject) => finalityOf(notFinal, subject))).toEqual(['final', 'final']);
  expect(await readNotFinal(db, [])).toEqual(new Map());
});
