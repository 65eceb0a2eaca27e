import type { Refusal } from './refusal.js';

/** `invalid_input` that names these fields. */
export const invalid = (fields: readonly string[], says?: RegExp): Refusal => ({
  status: 400,
  code: 'invalid_input',
  fields,
  ...(says && { says }),
});

/** Amounts that are no budget and no price, as JSON text. */
export const BAD_AMOUNTS: [text: string, says: RegExp][] = [
  ['0', /at least one lamport/],
  ['-0', /at least one lamport/],
  ['-0.5', /negative/],
  ['null', /must be a number, not null/],
  ['"NaN"', /must be a number, not a string/],
  ['"0.5"', /must be a number, not a string/],
  ['[0.5]', /must be a number, not a list/],
  ['0.0000000001', /nine decimals/],
  ['0.1234567891', /nine decimals/],
  ['9007199.254740992', /largest amount is 9007199\.254740991 SOL/],
  ['1e300', /largest amount/],
  ['1e999', /number/],
];
