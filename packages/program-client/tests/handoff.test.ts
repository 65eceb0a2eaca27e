import {
  bySignedText,
  ED25519_PROGRAM_ADDRESS,
  getSignedTextInstruction,
  type Handoff,
  handoffText,
  INSTRUCTIONS_SYSVAR_ADDRESS,
  parseHandoffText,
  readSignedText,
} from '@legwork/program-client';
import { AccountRole, type Address, address, getAddressDecoder } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const LISTING = address('7YkLmNbQ3hVJt5u3M9c2RrXwE8a4fKpZsD6gTqWvUy1B');
const NONCE = Uint8Array.of(0x8f, 0x14, 0xe4, 0x5f, 0xce, 0xea, 0x16, 0x7a);
const TEXT = `Legwork handoff 1
${LISTING}
leg 2, formation 1
received
as described
2026-11-28T12:40:05Z
8f14e45fceea167a`;

const RECEIVED: Handoff = {
  listing: LISTING,
  legIndex: 1,
  formation: 1,
  said: 'received',
  noted: undefined,
  signedAt: new Date('2026-11-28T12:40:05Z'),
  nonce: NONCE,
};

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const addresses: fc.Arbitrary<Address> = bytes(32).map((key) => getAddressDecoder().decode(key));
const where = fc.record({
  listing: addresses,
  legIndex: fc.integer({ min: 0, max: 6 }),
  formation: fc.integer({ min: 0, max: 65_535 }),
  signedAt: fc.integer({ min: 946_684_800, max: 4_102_444_799 }).map((second) => new Date(second * 1_000)),
  nonce: bytes(8),
});
const said = fc.oneof(
  fc.record({
    said: fc.constantFrom('picked up' as const, 'taken over' as const, 'received' as const),
    noted: fc.option(bytes(32), { nil: undefined }),
  }),
  fc.record({ said: fc.constant('accepted' as const), resultHash: bytes(32) }),
);

test('a handoff is a text of seven lines, and the text says the handoff again (P-106)', () => {
  expect(handoffText(RECEIVED)).toBe(TEXT);
  expect(parseHandoffText(TEXT)).toEqual(RECEIVED);
  fc.assert(
    fc.property(where, said, (place, words) => {
      const handoff: Handoff = { ...place, ...words };
      const text = handoffText(handoff);
      expect(text.length).toBeLessThanOrEqual(220);
      const read = parseHandoffText(text);
      expect(read && { ...read, signedAt: read.signedAt.valueOf() }).toMatchObject({
        ...handoff,
        signedAt: handoff.signedAt.valueOf(),
      });
    }),
  );
});

test('a text that is not that of a handoff, to the letter, says nothing (P-106)', () => {
  const texts = [
    '',
    `${TEXT}\n`,
    ` ${TEXT}`,
    TEXT.replace('formation 1', 'formation 01'),
    TEXT.replace('formation 1', 'formation 65536'),
    TEXT.replace('leg 2', 'leg 0'),
    TEXT.replace('leg 2', 'leg 8'),
    TEXT.replace('2026-11-28', '2026-02-29'),
    TEXT.replace('2026-11-28', '2126-11-28'),
    TEXT.replace('received', 'accepted'),
    TEXT.replace('received', 'lost'),
    TEXT.replace('as described', `noted ${'A7'.repeat(32)}`),
    TEXT.replace(LISTING, `1${LISTING.slice(1)}x`),
    TEXT.replace('8f14', '8F14'),
    TEXT.replaceAll('\n', '\r\n'),
  ];
  for (const text of texts) expect([text, parseHandoffText(text)]).toEqual([text, undefined]);
});

test('an instruction is told by text with its proof before it and the sysvar behind its accounts (P-105)', () => {
  const signed = { signer: LISTING, signature: new Uint8Array(64).fill(9), text: TEXT };
  const other = { address: ED25519_PROGRAM_ADDRESS, role: AccountRole.WRITABLE };
  const data = Uint8Array.of(7, 1, 0);
  const accounts = [{ address: LISTING, role: AccountRole.WRITABLE_SIGNER }, other];
  const [proof, told] = bySignedText({ programAddress: LISTING, accounts, data }, signed);
  expect(readSignedText(proof)).toEqual(signed);
  expect(told).toEqual({
    programAddress: LISTING,
    accounts: [
      { address: LISTING, role: AccountRole.WRITABLE },
      other,
      { address: INSTRUCTIONS_SYSVAR_ADDRESS, role: AccountRole.READONLY },
    ],
    data,
  });
});

test('a proof of another form is none: no byte of it is free (P-105)', () => {
  const proof = getSignedTextInstruction({ signer: LISTING, signature: new Uint8Array(64).fill(9), text: TEXT });
  for (let place = 0; place < 16; place += 1) {
    const data = Uint8Array.from(proof.data);
    data[place] = (data[place] ?? 0) ^ 1;
    expect(readSignedText({ ...proof, data })).toBeUndefined();
  }
  for (const length of [0, 15, 112])
    expect(readSignedText({ ...proof, data: proof.data.slice(0, length) })).toBeUndefined();
  expect(readSignedText({ ...proof, data: Uint8Array.of(...proof.data, 0) })).toBeUndefined();
  expect(readSignedText({ ...proof, programAddress: LISTING })).toBeUndefined();
});
