import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Db } from '../../src/db/connect.js';
import { type Nonce, nonceName, spendNonces } from '../../src/identity/nonces.js';
import { withTestDatabase } from '../support/database.js';
import { migrateDatabase } from '../events/log.js';

const database = withTestDatabase(migrateDatabase);
let replicas: [Db, Db];

beforeAll(() => {
  const replica = () => connect(database.connectionString, 4, () => undefined);
  replicas = [replica(), replica()];
});
afterAll(async () => {
  for (const db of replicas) await db.destroy();
});

test('a nonce that stands twice among those spent together is spent once, and by another key too (S-13)', async () => {
  const [db] = replicas;
  const one = { pubkey: 'one', nonce: crypto.randomUUID() };
  expect(await spendNonces(db, [one, one, { ...one, pubkey: 'other' }])).toEqual([true, false, true]);
  expect(await spendNonces(db, [{ ...one, nonce: 'fresh' }, one])).toEqual([true, false]);
});

test('of the same nonces given to two replicas at once, in any order, each is spent once (S-13)', async () => {
  const nonce = fc.record({ pubkey: fc.constantFrom('a', 'b', 'c'), nonce: fc.constantFrom('1', '2', '3', '4') });
  const batches = fc.array(fc.tuple(fc.constantFrom(0, 1), fc.array(nonce, { minLength: 1, maxLength: 12 })), {
    maxLength: 6,
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(batches, async (given) => {
      run += 1;
      const ofRun = given.map(([replica, nonces]) => ({
        replica,
        nonces: nonces.map((one) => ({ ...one, nonce: `${run}-${one.nonce}` })),
      }));
      const answers = await Promise.all(ofRun.map(({ replica, nonces }) => spendNonces(replicas[replica], nonces)));
      const spent = ofRun.flatMap(({ nonces }, index) => nonces.filter((_, place) => answers[index]?.[place]));
      const names = (nonces: readonly Nonce[]) => nonces.map(nonceName).sort();
      expect(names(spent)).toEqual([...new Set(names(ofRun.flatMap(({ nonces }) => nonces)))]);
    }),
    { numRuns: 40 },
  );
});
