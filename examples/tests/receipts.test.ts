import { ReceiptError } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { tell } from '../src/receipts/verify.js';
import {
  differences,
  goVerifier,
  pythonVerifier,
  type ReceiptVerifier,
  readVectors,
  unformatted,
} from './support/receiptVerifiers.js';

const vectors = await readVectors();

const sdk: ReceiptVerifier = {
  missing: undefined,
  verify: (chain) =>
    tell(chain).then(
      (lines) => ({ code: 0, output: lines.join('\n') }),
      (error: unknown) => ({
        code: error instanceof ReceiptError ? 1 : 2,
        output: error instanceof Error ? error.message : '',
      }),
    ),
};

test('the SDK says of each chain what the vectors say, or where it fails (S-210)', async () => {
  expect(await differences(sdk, vectors)).toEqual([]);
});

test('Python says the same of each (S-210)', async ({ skip }) => {
  const python = await pythonVerifier();
  skip(python.missing !== undefined, python.missing);
  expect(await differences(python, vectors)).toEqual([]);
});

test('Go says the same of each (S-210)', async ({ skip }) => {
  const go = await goVerifier();
  skip(go.missing !== undefined, go.missing);
  expect(await differences(go, vectors)).toEqual([]);
  expect(await unformatted('gofmt', ['-l', 'verify.go'])).toBe('');
});
