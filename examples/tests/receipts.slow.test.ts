import { expect, test } from 'vitest';
import { differences, readVectors, rustVerifier, typescriptVerifier, unformatted } from './support/receiptVerifiers.js';

test('the compiled program in TypeScript says of each chain what the vectors say (S-210)', async () => {
  expect(await differences(typescriptVerifier(), await readVectors())).toEqual([]);
});

test('Rust says the same of each (S-210)', async ({ skip }) => {
  const rust = await rustVerifier();
  skip(rust.missing !== undefined, rust.missing);
  expect(await differences(rust, await readVectors())).toEqual([]);
}, 600_000);

test('Rust is laid out by its formatter', async ({ skip }) => {
  skip(!(await unformatted('rustfmt', ['--version'])).startsWith('rustfmt '), 'there is no rustfmt here');
  expect(await unformatted('rustfmt', ['--edition', '2021', '--check', 'verify.rs'])).toBe('');
});
