import {
  assetAddress,
  associatedTokenAddress,
  createAssociatedToken,
  getListPackageInstruction,
  getListTaskInstruction,
  getSignedTextInstruction,
  inTokens,
  setMandate,
  transferTokens,
} from '@legwork/program-client';
import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  generateKeyPairSigner,
  getTransactionEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { importSeed } from '../../src/device/key.js';
import { signWire } from '../../src/device/signing.js';
import { readWire } from '../../src/device/transaction.js';

const key = await importSeed(new Uint8Array(32).fill(1));
const own = key.address;
const { address: other } = await generateKeyPairSigner();
const { address: stranger } = await generateKeyPairSigner();
const { address: program } = await generateKeyPairSigner();
const SYSTEM = address('11111111111111111111111111111111');
const BUDGET = address('ComputeBudget111111111111111111111111111111');
const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const TOKEN = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const from = { address: own, role: AccountRole.WRITABLE_SIGNER };
const to = { address: other, role: AccountRole.WRITABLE };

/** A transaction of these instructions. */
function messageOf(instructions: readonly Instruction[], feePayer: Address = own) {
  return pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(feePayer, message),
    (message) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash(SYSTEM), lastValidBlockHeight: 1n }, message),
    (message) => appendTransactionMessageInstructions(instructions, message),
  );
}

const wireOf = (...instructions: readonly Instruction[]) =>
  Uint8Array.from(getTransactionEncoder().encode(compileTransaction(messageOf(instructions))));
const USDC = { asset: 'usdc', decimals: 6 };
const unnamed = () => undefined;
const read = (...instructions: readonly Instruction[]) => readWire(wireOf(...instructions), own, program, unnamed);

/** Little-endian, as instructions have numbers: 32 or 64 bits. */
const numbers = (...parts: readonly (number | bigint)[]) =>
  Uint8Array.from(
    parts.flatMap((part) => {
      const view = new DataView(new ArrayBuffer(typeof part === 'bigint' ? 8 : 4));
      if (typeof part === 'bigint') view.setBigUint64(0, part, true);
      else view.setUint32(0, part, true);
      return [...new Uint8Array(view.buffer)];
    }),
  );

const transfer = (lamports: bigint): Instruction => ({
  programAddress: SYSTEM,
  accounts: [from, to],
  data: numbers(2, lamports),
});

describe('what a transaction says before the device signs it (D-71)', () => {
  test('a transfer is told with both sides, and its fee to the lamport', () => {
    const price: Instruction = { programAddress: BUDGET, data: Uint8Array.from([3, ...numbers(1_000n)]) };
    const limit: Instruction = { programAddress: BUDGET, data: Uint8Array.from([2, ...numbers(200_000)]) };
    expect(read(limit, price, transfer(1_500_000_000n))).toMatchObject({
      lines: [`Transfer 1.5 SOL, from ${own} to ${other}`],
      doubts: [],
      feePayer: own,
      feeLamports: 5_200n,
      others: [],
      writable: [own, other],
    });
  });

  test('a listing is told with what it locks, and who else has to sign', () => {
    const signer = { address: other, signTransactions: async () => [] };
    const list = getListPackageInstruction(
      {
        funder: { address: own, signTransactions: async () => [] },
        shipper: signer,
        config: other,
        package: other,
        vault: other,
        packageId: new Uint8Array(16),
        maxBudget: 300_000_000n,
        deadline: 1_790_000_000n,
        termsHash: new Uint8Array(32),
        terms: null,
      },
      { programAddress: program },
    );
    const { lines, doubts, others } = read(list);
    expect(lines).toEqual(['Locks in escrow: 0.3 SOL', 'Until at most: 2026-09-21 14:13 UTC']);
    expect(doubts).toEqual([]);
    expect(others).toEqual([other]);
  });

  test('what takes a token from the device is told in its asset, and doubted where the ledger does not tell which', async () => {
    const list = getListTaskInstruction(
      {
        funder: { address: own, signTransactions: async () => [] },
        poster: { address: own, signTransactions: async () => [] },
        config: other,
        task: other,
        vault: other,
        taskId: new Uint8Array(16),
        maxBudget: 300_000_001n,
        numLegs: 1,
        deadline: 1_790_000_000n,
        termsHash: new Uint8Array(32),
        terms: null,
      },
      { programAddress: program },
    );
    const opening = await createAssociatedToken({ address: own, role: AccountRole.WRITABLE_SIGNER }, other, TOKEN);
    const wire = wireOf(opening, await inTokens(program, list, { number: 1, mint: TOKEN }));
    const opens = `Opens a token account for ${other} unless it has one; ${own} pays its rent`;
    const until = 'Until at most: 2026-09-21 14:13 UTC';
    expect(readWire(wire, own, program, () => USDC)).toMatchObject({
      lines: [opens, 'Locks in escrow: 300.000001 USDC', until],
      doubts: [],
    });
    const asset = await assetAddress(program, 1);
    expect(readWire(wire, own, program, unnamed)).toMatchObject({
      lines: [opens, `Locks in escrow: 300000001 units of the token of asset ${asset}`, until],
      doubts: [`It takes a token from this device, asset ${asset}, that the ledger does not show.`],
    });
  });

  test('a mandate is told in its asset, and so is what goes there', async () => {
    const owner = { address: own, signTransactions: async () => [] };
    const asset = { number: 1, mint: TOKEN };
    const limits = { permits: 3, cap: 5_000_000n, period: 86_400, expiresAt: 0n, maxAhead: 3_600, arbiter: SYSTEM };
    const set = await setMandate(program, { owner, delegate: other, asset }, limits);
    const wire = wireOf(set, await transferTokens(from, other, TOKEN, 20_000_000n));
    const { lines, doubts } = readWire(wire, own, program, (of) => (of === 1 ? USDC : undefined));
    expect(lines).toContain('At most: 5 USDC in each period of 86400 seconds');
    const [giver, taker] = await Promise.all([own, other].map((one) => associatedTokenAddress(one, TOKEN)));
    expect(lines.at(-1)).toBe(`Transfer 20000000 base units of a token, from ${giver} to ${taker}`);
    expect(doubts).toEqual([]);
  });

  test.each<[string, Instruction, RegExp]>([
    ['of a program that nobody knows', { programAddress: stranger, accounts: [from] }, /unknown program/],
    ['that gives the account away', { programAddress: SYSTEM, accounts: [from], data: numbers(1) }, /System program/],
    ['of tokens', { programAddress: TOKEN, accounts: [from, to], data: Uint8Array.from([4, 1]) }, /Token program/],
    [
      'that the program does not have',
      { programAddress: program, accounts: [from], data: Uint8Array.of(250) },
      /does not have/,
    ],
    ['that logs in', { programAddress: MEMO, data: new TextEncoder().encode('svc-auth-v1\nGET') }, /acts in your name/],
    [
      'that pays a fee beyond reason',
      { programAddress: BUDGET, data: Uint8Array.from([3, ...numbers(1_000_000_000n)]) },
      /offers a fee of 1.4 SOL/,
    ],
  ])('an instruction %s is doubted, beside one that is known', (_, instruction, doubt) => {
    const { lines, doubts } = read(transfer(1n), instruction);
    expect(lines[0]).toContain('Transfer');
    expect(doubts).toEqual([expect.stringMatching(doubt)]);
  });

  test('accounts in tables are not read, so it is doubted as a whole', () => {
    const tables = { [program]: [other] };
    const message = compressTransactionMessageUsingAddressLookupTables(messageOf([transfer(1n)]), tables);
    const wire = Uint8Array.from(getTransactionEncoder().encode(compileTransaction(message)));
    expect(readWire(wire, own, program, unnamed)).toMatchObject({
      lines: [],
      doubts: ['It names accounts in lookup tables, which this device does not read.'],
    });
  });

  test('a signed text is told, and costs a signature more', () => {
    const proof = getSignedTextInstruction({ signer: other, signature: new Uint8Array(64), text: 'Legwork\nhandoff' });
    const { lines, feeLamports } = read(proof);
    expect(lines).toEqual([`Carries what ${other} signed: “Legwork; handoff”`]);
    expect(feeLamports).toBe(10_000n);
  });

  test('bytes that are none are refused before anybody is asked', () => {
    for (const bytes of [[], [0], [1, 2, 3], Array.from({ length: 2_000 }, () => 255)]) {
      expect(() => readWire(Uint8Array.from(bytes), own, program, unnamed)).toThrow(Error);
    }
  });

  test('its signature is put in, those of others stay, and nothing else changes', async () => {
    const both: Instruction = {
      ...transfer(1n),
      accounts: [from, { address: other, role: AccountRole.WRITABLE_SIGNER }],
    };
    const wire = wireOf(both);
    wire.fill(7, 65, 129);
    const signed = await signWire(key, wire);
    expect(signed.subarray(65)).toEqual(wire.subarray(65));
    expect(signed.subarray(1, 65)).not.toEqual(new Uint8Array(64));
    const theirs = Uint8Array.from(getTransactionEncoder().encode(compileTransaction(messageOf([], stranger))));
    await expect(signWire(key, theirs)).rejects.toThrow(`not for ${own} to sign`);
  });
});
