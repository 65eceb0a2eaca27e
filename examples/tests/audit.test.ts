import { expect, test } from 'vitest';
import { imbalance } from '../src/demo/audit.js';
import { report } from '../src/demo/report.js';

const books = {
  wallets: [
    { pubkey: 'a', before: 1_000n, airdrops: 500n, after: 1_200n },
    { pubkey: 'b', before: 0n, airdrops: 500n, after: 600n },
  ],
  inProgramAccounts: 100n,
  inVaults: 60n,
  fees: 40n,
  inTokenAccounts: 0n,
  exchangedWithOthers: 0n,
  transactions: 3,
};

test('books that come out even miss nothing', () => {
  expect(imbalance(books)).toBe(0n);
  expect(report(books, (key) => key).at(-1)).toContain('Every lamport is accounted for');
});

test.each([
  ['a fee too much', { fees: 41n }, -1n],
  ['a lamport that left a vault', { inVaults: 59n }, 1n],
  ['a lamport from elsewhere', { exchangedWithOthers: 1n }, 1n],
])('%s is found', (_, change, missing) => {
  expect(imbalance({ ...books, ...change })).toBe(missing);
  expect(report({ ...books, ...change }, (key) => key).at(-1)).toContain('NOT EQUAL');
});
