import { decodeRelayInstruction } from '@legwork/program-client';
import { AccountRole, type Address, address } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { programAddress } from './fixtures.js';

/** The form that the program accepts: first byte, bytes of data, accounts by name, and how many more belong together. */
interface Form {
  first: number;
  bytes: number;
  accounts: number;
  more: 'any' | 'pairs';
  /** Bytes that may follow, all or none. */
  tail: number;
}

const form = (first: number, bytes: number, accounts: number, more: Form['more'] = 'any'): Form => ({
  first,
  bytes,
  accounts,
  more,
  tail: 0,
});
const TERMS_BYTES = 89;

/** Written by hand: the decoder is generated, and this is what it must not depart from. */
const FORMS = {
  initialize: form(0, 65, 5),
  setCoordinator: form(1, 33, 2),
  setPaused: form(2, 2, 2),
  listPackage: { ...form(3, 65, 6), tail: TERMS_BYTES },
  cancelPackage: form(4, 1, 6),
  formSwarm: form(5, 10, 5),
  assignLeg: form(6, 10, 8),
  confirmLeg: form(7, 3, 9),
  settle: form(8, 1, 8),
  reclaimPackage: form(10, 1, 8),
  closePackage: form(11, 1, 4),
  proposeAuthority: form(12, 33, 2),
  acceptAuthority: form(13, 1, 2),
  setAsset: form(29, 11, 5),
  collect: form(30, 1, 5),
  setMandate: form(31, 59, 4),
  closeMandate: form(32, 1, 2),
  openReputation: form(14, 1, 4),
  listTask: { ...form(16, 66, 6), tail: TERMS_BYTES },
  assignTaskLeg: form(17, 2, 7),
  releaseTaskLeg: form(18, 2, 5),
  confirmTaskLeg: form(19, 34, 8),
  settleTask: form(20, 1, 6, 'pairs'),
  cancelTask: form(21, 1, 6),
  reclaimTask: form(22, 1, 6),
  closeTask: form(23, 1, 4),
  accept: form(24, 4, 6),
  vacate: form(25, 3, 7),
  claim: form(26, 35, 4),
  dispute: form(27, 35, 5),
  rule: form(28, 4, 9),
};

const ACCOUNTS = [
  programAddress,
  address('11111111111111111111111111111111'),
  address('BPFLoaderUpgradeab1e11111111111111111111111'),
];

const decoded = (data: Uint8Array, accounts: readonly Address[]) =>
  decodeRelayInstruction(programAddress, {
    programAddress,
    accounts: accounts.map((account) => ({ address: account, role: AccountRole.READONLY })),
    data,
  });

function expectedName(data: Uint8Array, accounts: number): string | undefined {
  const [name, found] = Object.entries(FORMS).find(([, { first }]) => first === data[0]) ?? [];
  if (!found || ![found.bytes, found.bytes + found.tail].includes(data.length) || accounts < found.accounts)
    return undefined;
  return found.more === 'pairs' && (accounts - found.accounts) % 2 === 1 ? undefined : name;
}

describe('the form of an instruction (P-1) (P-2)', () => {
  test.for(Object.entries(FORMS))('%s is of exactly its length and has all its accounts', ([name, its]) => {
    const accounts = Array<Address>(its.accounts).fill(ACCOUNTS[1] ?? programAddress);
    const data = Uint8Array.from({ length: its.bytes }, (_, at) => (at === 0 ? its.first : 1));
    expect(decoded(data, accounts)?.name).toBe(name);
    expect(decoded(data.subarray(0, -1), accounts)).toBeUndefined();
    expect(decoded(Uint8Array.of(...data, 0), accounts)).toBeUndefined();
    expect(decoded(data, accounts.slice(1))).toBeUndefined();
  });

  test.for(['listPackage', 'listTask'] as const)(
    '%s may end with 89 bytes of terms, not with 88 or 90 (T-2) (T-72)',
    (name) => {
      const { first, bytes } = FORMS[name];
      const accounts = Array<Address>(6).fill(programAddress);
      const data = Uint8Array.from({ length: bytes + 90 }, (_, at) => (at === 0 ? first : 1));
      const names = [88, 89, 90].map((tail) => decoded(data.subarray(0, bytes + tail), accounts)?.name);
      expect(names).toEqual([undefined, name, undefined]);
    },
  );

  test('decides what any data with any accounts is', () => {
    const lengths = [...new Set(Object.values(FORMS).flatMap(({ bytes, tail }) => [bytes, bytes + tail]))];
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 0, max: 29 }), fc.integer({ min: 0, max: 255 })),
        fc.oneof(fc.constantFrom(...lengths), fc.integer({ min: 0, max: 160 })),
        fc.uint8Array({ minLength: 160, maxLength: 160 }),
        fc.array(fc.constantFrom(...ACCOUNTS), { maxLength: 14 }),
        (first, length, bytes, accounts) => {
          const data = Uint8Array.from([first, ...bytes]).subarray(0, length);
          const result = decoded(data, accounts);
          expect(result?.name).toBe(expectedName(data, accounts.length));
          expect(result?.data.discriminator).toBe(result && data[0]);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
