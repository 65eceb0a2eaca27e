import { createPublicKey, verify } from 'node:crypto';
import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  blockhash,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  generateKeyPairSigner,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type AddressesByLookupTableAddress,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import fc from 'fast-check';
import { FailedTransactionMetadata, LiteSvm } from 'litesvm/dist/internal.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SignatureProof } from '../src/bank/signatureProof.js';
import { Signatures } from '../src/bank/signatures.js';
import { parseTransaction } from '../src/bank/wire.js';

const HASH = blockhash('4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T');
const PROGRAM = address('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo');
const SIGNATURE_FAILURE = 11;

const payer = await generateKeyPairSigner();
const others = await Promise.all(Array.from({ length: 4 }, () => generateKeyPairSigner()));

/** The bytes of a transaction that a payer and some others sign. */
async function signedBytes(signers: readonly KeyPairSigner[], tables: AddressesByLookupTableAddress = {}) {
  const borrowed = Object.values(tables).flatMap((entries) => [...entries]);
  const instruction: Instruction = {
    programAddress: PROGRAM,
    accounts: [
      ...signers.map((signer) => ({ address: signer.address, role: AccountRole.READONLY_SIGNER, signer })),
      ...borrowed.map((entry) => ({ address: entry, role: AccountRole.READONLY })),
    ],
    data: new Uint8Array(signers.length),
  };
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (m) => setTransactionMessageFeePayerSigner(payer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: HASH, lastValidBlockHeight: 0n }, m),
    (m) => appendTransactionMessageInstruction(instruction, m),
    (m) => compressTransactionMessageUsingAddressLookupTables(m, tables),
  );
  return Uint8Array.from(getTransactionEncoder().encode(await signTransactionMessageWithSigners(message)));
}

/** The engine's own verdict on signatures: the same as a cluster's. */
function engineSays(bytes: Uint8Array): boolean {
  const result = engine.simulateVersionedTransaction(bytes);
  return !(result instanceof FailedTransactionMetadata && Number(result.err()) === SIGNATURE_FAILURE);
}

/** OpenSSL's verdict on all its signatures. */
function opensslSays(bytes: Uint8Array): boolean {
  const { signatures, message } = parseTransaction(bytes);
  return signatures.every((signature, index) => {
    const x = Buffer.from(message.staticKeys[index] ?? []).toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, message.bytes, key, signature);
  });
}

const engine = new LiteSvm();
const proof = new SignatureProof();
const isRight = (wire: Uint8Array): boolean => proof.judge(wire);
const right = await Promise.all([0, 1, 2, 3, 4].map((count) => signedBytes(others.slice(0, count))));

function openSignatures(): Signatures {
  const signatures = new Signatures();
  onTestFinished(() => signatures.close());
  return signatures;
}

describe('checking signatures', () => {
  test('[L-71] judges transactions with any bit changed as the engine does, and OpenSSL', () => {
    const change = fc.record({ which: fc.nat(right.length - 1), bit: fc.nat(), isChanged: fc.boolean() });
    const judged = fc.property(fc.array(change, { minLength: 1, maxLength: 120 }), (changes) => {
      const wires = changes.flatMap(({ which, bit, isChanged }) => {
        const wire = Uint8Array.from(right[which] ?? []);
        const at = bit % (8 * wire.length);
        if (isChanged) wire[at >> 3] = (wire[at >> 3] ?? 0) ^ (1 << (at & 7));
        return isReadable(wire) ? [wire] : [];
      });
      expect(wires.map(isRight)).toEqual(wires.map(engineSays));
      expect(wires.map(isRight)).toEqual(wires.map(opensslSays));
    });
    fc.assert(judged, { numRuns: 30 });
  });

  test('[L-71] refuses a key of small order, under which one signature fits every message', () => {
    const key = Uint8Array.of(1, ...new Uint8Array(31));
    const wire = Uint8Array.from(right[0] ?? []);
    // The payer's key comes after a signature, its count, the version, the header and the count of keys.
    wire.set(key, 1 + 64 + 1 + 3 + 1);
    wire.set([...key, ...new Uint8Array(32)], 1);
    expect(engineSays(wire)).toBe(false);
    expect(isRight(wire)).toBe(false);
  });

  test('[L-71] judges a transaction whose lookup tables it does not know', async () => {
    const table = address('SysvarC1ock11111111111111111111111111111111');
    const wire = await signedBytes(others.slice(0, 1), { [table]: [(await generateKeyPairSigner()).address] });
    expect(parseTransaction(wire).message.lookups).toHaveLength(1);
    const forged = Uint8Array.from(wire);
    forged[5] = (forged[5] ?? 0) ^ 1;
    expect([wire, forged, wire].map(isRight)).toEqual([true, false, true]);
  });
});

describe('the thread that checks signatures', () => {
  test('[L-71] answers each question, in their order', async () => {
    const signatures = openSignatures();
    const asked = Array.from({ length: 200 }, (_, index) => {
      const wire = Uint8Array.from(right[index % right.length] ?? []);
      if (index % 3 === 0) wire[9] = (wire[9] ?? 0) ^ 1;
      return parseTransaction(wire);
    });
    const answered: number[] = [];
    const answers = asked.map(async (transaction, index) => {
      const verified = await signatures.verify(transaction);
      answered.push(index);
      return verified;
    });
    expect(await Promise.all(answers)).toEqual(asked.map((one, index) => (index % 3 === 0 ? undefined : one)));
    expect(answered).toEqual(asked.map((_, index) => index));
  });

  test('[L-71] that ends leaves nobody waiting, and another one takes its place', async () => {
    const signatures = openSignatures();
    const transaction = parseTransaction(right[1] ?? new Uint8Array());
    const unreadable = { ...transaction, bytes: new Uint8Array(3) };
    const failed = await Promise.allSettled([signatures.verify(unreadable), signatures.verify(transaction)]);
    expect(failed.map((one) => one.status)).toEqual(['rejected', 'rejected']);
    expect(await signatures.verify(transaction)).toBe(transaction);
  });

  test('[L-71] that is stopped leaves nobody waiting', async () => {
    const signatures = openSignatures();
    const transaction = parseTransaction(right[1] ?? new Uint8Array());
    const [, before, after] = await Promise.allSettled([
      signatures.close(),
      signatures.verify(transaction),
      signatures.verify(transaction),
    ]);
    expect([before.status, after.status]).toEqual(['rejected', 'rejected']);
    await expect(signatures.verify(transaction)).rejects.toThrow('closed');
  });
});

function isReadable(wire: Uint8Array): boolean {
  try {
    return parseTransaction(wire).bytes.length === wire.length;
  } catch {
    return false;
  }
}
