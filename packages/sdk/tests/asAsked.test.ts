import {
  AccountRole,
  type Address,
  address,
  blockhash,
  generateKeyPairSigner,
  type Instruction,
  partiallySignTransaction,
  type Transaction,
} from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LegworkSigner, signTransaction, TransactionRefusedError } from '../src/index.js';
import { requireAsAsked } from '../src/transactions/asAsked.js';
import { decodeWire } from '../src/transactions/readTransaction.js';
import {
  compiled,
  computeUnitLimit,
  computeUnitPrice,
  confirmInstruction,
  OTHER_PROGRAM,
  PROGRAM,
  SOME_ADDRESS,
  transferFrom,
  wire,
} from './support/transactions.js';

const wallet = await generateKeyPairSigner();
const thief = await generateKeyPairSigner();
const LIGHTHOUSE = address('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');
const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const SYSTEM = address('11111111111111111111111111111111');
const ours = confirmInstruction(wallet.address);

const lighthouse = (kind: number, accounts: Instruction['accounts'] = []): Instruction => ({
  programAddress: LIGHTHOUSE,
  accounts,
  data: new Uint8Array([kind, 0, 1]),
});
const read = (one: Address) => ({ address: one, role: AccountRole.READONLY });
const memo: Instruction = { programAddress: MEMO, data: new TextEncoder().encode('kept by the wallet') };
const transfer = transferFrom(wallet.address);
const advanceNonce: Instruction = {
  programAddress: SYSTEM,
  accounts: [{ address: SOME_ADDRESS, role: AccountRole.WRITABLE }, read(SOME_ADDRESS), read(wallet.address)],
  data: new Uint8Array([4, 0, 0, 0]),
};
const LATER = { blockhash: blockhash('4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi'), lastValidBlockHeight: 9n };

const of = (instructions: readonly Instruction[], feePayer = wallet.address) => compiled(feePayer, instructions);
const budgeted = [computeUnitLimit(20_000), ours];
const asked = of(budgeted);

/** The same with an entry of one lookup table behind it. */
function withLookup(transaction: Transaction): Transaction {
  return withBytes(transaction, [...transaction.messageBytes.slice(0, -1), 1, ...new Uint8Array(32).fill(7), 1, 0, 0]);
}

function withBytes(transaction: Transaction, bytes: Iterable<number>): Transaction {
  return { ...transaction, messageBytes: Uint8Array.from(bytes) as unknown as Transaction['messageBytes'] };
}

/** `ours` with one account replaced. */
const redirected = (at: number): Instruction => ({
  ...ours,
  accounts: (ours.accounts ?? []).map((one, index) => (index === at ? { ...one, address: thief.address } : one)),
});

describe('what a wallet may add to what it signs (S-173)', () => {
  test.each<[string, readonly Instruction[]]>([
    ['nothing', [computeUnitLimit(20_000), ours]],
    ['another budget', [computeUnitLimit(300_000), computeUnitPrice(1_000n), ours]],
    ['no budget', [ours]],
    [
      'assertions before and behind, of the very accounts that change',
      [lighthouse(5, [read(wallet.address)]), computeUnitLimit(20_000), ours, lighthouse(6, [read(SOME_ADDRESS)])],
    ],
    ['an assertion of an account that was not named', [ours, lighthouse(9, [read(thief.address)])]],
    ['a memo', [computeUnitLimit(20_000), ours, memo]],
  ])('takes %s', (_, instructions) => {
    expect(() => requireAsAsked(asked, of(instructions))).not.toThrow();
  });

  const writes = [{ address: thief.address, role: AccountRole.WRITABLE }];
  const signs = [{ address: thief.address, role: AccountRole.READONLY_SIGNER }];
  test.each<[string, Transaction, RegExp]>([
    ['a transfer', of([ours, transfer]), /instruction 2, of program 1{32}, was not asked for/],
    ['a second instruction of the program', of([ours, ours]), /instruction 2, of program 7xKX/],
    ['a durable nonce', of([advanceNonce, ours]), /instruction 1, of program 1{32}/],
    ['a write of Lighthouse', of([lighthouse(0), ours]), /instruction 1, of program L2TEx/],
    ['a call of Lighthouse to another program', of([ours, lighthouse(16)]), /instruction 2, of program L2TEx/],
    ['an instruction of Lighthouse that is not known', of([ours, lighthouse(99)]), /instruction 2/],
    ['an assertion with an account to write', of([ours, lighthouse(5, writes)]), /may change was/],
    ['an assertion that somebody else signs', of([ours, lighthouse(5, signs)]), /list of its signers was/],
    ['a memo of an account', of([ours, { ...memo, accounts: [read(SOME_ADDRESS)] }]), /program MemoSq/],
    ['a program of no list', of([ours, { programAddress: OTHER_PROGRAM }]), /program Sysvar/],
    ['a fee that empties wallets', of([computeUnitPrice(10n ** 12n), ours]), /1400000000000 lamports; at most 1000000/],
    ['nothing, but leaves ours out', of([memo]), /was changed, moved or left out/],
    ['nothing, but pays from elsewhere', of([ours], thief.address), /fee payer was/],
    ['nothing, but takes another blockhash', compiled(wallet.address, budgeted, { lifetime: LATER }), /blockhash was/],
    [
      'nothing, but takes another version',
      compiled(wallet.address, budgeted, { version: 'legacy' }),
      /version was 0 and is legacy/,
    ],
    ['a lookup table', withLookup(asked), /lookup tables/],
    ['bytes behind the end', withBytes(asked, [...asked.messageBytes, 0]), /bytes behind its end/],
    ['nothing, but is cut', withBytes(asked, [...asked.messageBytes].slice(0, -9)), /cannot be read/],
  ])('refuses one that adds %s', (_, signed, words) => {
    expect(() => requireAsAsked(asked, signed)).toThrow(words);
    expect(() => requireAsAsked(asked, signed)).toThrow(TransactionRefusedError);
  });

  test('adds nothing to what somebody else signs too, whose signature would be of other bytes', () => {
    const shared = of([confirmInstruction(thief.address)]);
    expect(() => requireAsAsked(shared, shared)).not.toThrow();
    expect(() => requireAsAsked(shared, of([confirmInstruction(thief.address), memo]))).toThrow(/others sign too/);
  });

  const harmless = fc.oneof(
    fc.integer({ min: 2, max: 15 }).map((kind) => lighthouse(kind, [read(wallet.address)])),
    fc.constant(memo),
    fc.integer({ min: 1, max: 1_400_000 }).map(computeUnitLimit),
    fc.bigInt({ min: 0n, max: 700_000n }).map(computeUnitPrice),
  );
  test('whatever harmless things stand around ours, in any number and order', () => {
    fc.assert(
      fc.property(fc.array(harmless, { maxLength: 5 }), fc.array(harmless, { maxLength: 5 }), (before, behind) => {
        expect(() => requireAsAsked(asked, of([...before, ours, ...behind]))).not.toThrow();
      }),
    );
  });

  test('no account and no byte of ours may be another, whatever stands around it', () => {
    const account = fc.nat({ max: (ours.accounts?.length ?? 0) - 1 }).map(redirected);
    const data = Uint8Array.from(ours.data ?? []);
    const byte = fc
      .tuple(fc.nat({ max: data.length - 1 }), fc.integer({ min: 1, max: 255 }))
      .map(([at, change]): Instruction => ({ ...ours, data: data.map((one, i) => (i === at ? one ^ change : one)) }));
    const longer = fc
      .uint8Array({ minLength: 1, maxLength: 9 })
      .map((more) => ({ ...ours, data: new Uint8Array([...data, ...more]) }));
    const around = fc.array(harmless, { maxLength: 3 });
    fc.assert(
      fc.property(around, fc.oneof(account, byte, longer), around, (before, changed, behind) => {
        expect(() => requireAsAsked(asked, of([...before, changed, ...behind]))).toThrow(TransactionRefusedError);
      }),
    );
  });

  test('a byte of the message that is another lets nothing through but another budget', () => {
    const bytes = Uint8Array.from(asked.messageBytes);
    // Which setting of the budget it is, and its value, are the wallet's to choose.
    const limit = bytes.findIndex((_, i) => [2, 32, 78, 0, 0].every((value, by) => bytes[i + by] === value));
    const at = fc.nat({ max: bytes.length - 1 }).filter((one) => one < limit || one > limit + 4);
    fc.assert(
      fc.property(at, fc.integer({ min: 1, max: 255 }), (changed, change) => {
        const signed = withBytes(
          asked,
          bytes.map((byte, i) => (i === changed ? byte ^ change : byte)),
        );
        expect(() => requireAsAsked(asked, signed)).toThrow(TransactionRefusedError);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a signer that adds (S-173)', () => {
  const signing = (change: (instructions: readonly Instruction[]) => readonly Instruction[]): LegworkSigner => ({
    address: wallet.address,
    signMessages: (messages) => wallet.signMessages(messages),
    signTransactions: () => Promise.reject(new Error('asked for a signature alone')),
    modifyAndSignTransactions: async () => [
      (await partiallySignTransaction([wallet.keyPair], of(change([computeUnitLimit(20_000), ours])))) as never,
    ],
  });
  const base64 = wire(wallet.address, [computeUnitLimit(20_000), ours]);
  const expected = { programId: PROGRAM, name: 'confirmLeg' } as const;

  test('what it signed is what is sent, with its additions', async () => {
    const guard = lighthouse(5, [read(wallet.address)]);
    const signed = decodeWire(
      await signTransaction(
        base64,
        signing((all) => [...all, guard]),
        expected,
      ),
    );
    expect(signed.messageBytes).toEqual(of([computeUnitLimit(20_000), ours, guard]).messageBytes);
    expect(signed.signatures[wallet.address]).not.toBeNull();
  });

  test('is refused with the word of what it added', async () => {
    const taking = signTransaction(
      base64,
      signing((all) => [...all, transfer]),
      expected,
    );
    await expect(taking).rejects.toThrow(/instruction 3, of program 1{32}, was not asked for/);
  });
});
