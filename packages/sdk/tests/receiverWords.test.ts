import { generateKeyPairSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import { receiverOfWords } from '../src/index.js';

const SHIPPER = '9BAZ6PJmsPqiFnUsBhyqaWHU2hTZo7bVrMoxH8ZVGEZ4';

test('six words are the same key however they are written, and another one for another shipper (A-140)', async () => {
  const { address } = await receiverOfWords('canyon lemon orbit puzzle river violin', SHIPPER);
  // Made by Python: hashlib.pbkdf2_hmac('sha512', words, salt, 600000, 32), then the public key of that seed.
  expect(address).toBe('Hzy1cBmU4srvtvwVKVZwvov68aN59L2C7m8YjU4oeemZ');
  expect((await receiverOfWords(' Canyon-LEMON.orbit, puzzle river-violin ', SHIPPER)).address).toBe(address);
  const other = (await generateKeyPairSigner()).address;
  expect((await receiverOfWords('canyon lemon orbit puzzle river violin', other)).address).not.toBe(address);
  for (const words of ['', 'canyon lemon', 'a b c d e f g']) {
    await expect(receiverOfWords(words, SHIPPER)).rejects.toThrow(/a receiver has 6 words/u);
  }
});
