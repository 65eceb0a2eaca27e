import * as zlib from 'node:zlib';
import fc from 'fast-check';
import {
  createSolanaRpc,
  generateKeyPairSigner,
  getAddressEncoder,
  getBase58Decoder,
  getBase58Encoder,
} from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { Engine } from '../src/bank/engine.js';
import { fromBase58, toBase58 } from '../src/bank/keys.js';
import type { VerifiedTransaction } from '../src/bank/signatures.js';
import { parseTransaction, type WireTransaction } from '../src/bank/wire.js';
import { MalformedTransactionError } from '../src/bank/wireReader.js';
import { decodeJson, encodeJson } from '../src/json.js';
import { storedFrame, zstdFrame } from '../src/rpc/accountEncoding.js';
import { signTransaction, SOL, transfer, type Client } from './support/ledger.js';

const payer = await generateKeyPairSigner();
const recipient = await generateKeyPairSigner();
const lifetime = { blockhash: recipient.address as string as never, lastValidBlockHeight: 1n };
// Signing needs no cluster when the lifetime is given.
const offline = { rpc: createSolanaRpc('http://127.0.0.1:1') } as Client;

async function bytesOf(version: 'legacy' | 0 | 1): Promise<Buffer> {
  const instructions = [transfer(payer, recipient.address, SOL), transfer(recipient, payer.address, 1n)];
  const { wire } = await signTransaction(offline, payer, instructions, { version, lifetime });
  return Buffer.from(wire, 'base64');
}

const seeds = [await bytesOf('legacy'), await bytesOf(0), await bytesOf(1)];

function tryToParse(bytes: Uint8Array): WireTransaction | undefined {
  try {
    return parseTransaction(bytes);
  } catch (error) {
    if (error instanceof MalformedTransactionError) return undefined;
    throw error;
  }
}

describe('a transaction as bytes', () => {
  test.each([0, 1, 2])('[L-14] is read with all that it holds (seed %i)', (seed) => {
    const bytes = seeds[seed] ?? Buffer.alloc(0);
    const { message, signatures } = parseTransaction(bytes);
    expect(signatures).toHaveLength(2);
    expect(message).toMatchObject({
      numRequiredSignatures: 2,
      numReadonlySigned: 0,
      numReadonlyUnsigned: 1,
      lookups: [],
    });
    expect(message.staticKeys.map(toBase58).slice(0, 2)).toEqual([payer.address, recipient.address]);
    expect(toBase58(message.blockhash)).toBe(recipient.address);
    expect(message.instructions.map((one) => one.data.length)).toEqual([12, 12]);
    // Version 1 has its signatures last.
    expect(message.bytes).toEqual(message.version === 1 ? bytes.subarray(0, -128) : bytes.subarray(1 + 128));
  });

  test('[L-14] bytes after it are cut off, as a cluster does', () => {
    for (const seed of seeds) {
      expect(Buffer.from(parseTransaction(Buffer.concat([seed, Buffer.from([1, 2, 3])])).bytes)).toEqual(seed);
    }
  });

  test('[L-14] every shortened form is refused', () => {
    for (const seed of seeds) {
      for (let length = 0; length < seed.length; length += 1) {
        expect(() => parseTransaction(seed.subarray(0, length))).toThrow(MalformedTransactionError);
      }
    }
  });

  // The answers of Agave 4.2 as observed, or by its reader's sources.
  test.each([
    ['00', 'Attempting to read 1 bytes'],
    ['0000', 'Attempting to read 2 bytes'],
    ['02', 'Attempting to read 128 bytes'],
    ['0000000080', 'Attempting to read 1 bytes'],
    ['00000000f22f', 'Attempting to read 196160 bytes'],
    ['008000', 'Attempting to read 3 bytes'],
    ['00000000808004', 'Sequence length would overflow length encoding scheme: u16::MAX'],
    ['000000008000', 'Invalid value: short u16: non-canonical encoding'],
    ['0082', 'Invalid tag encoding: 2'],
    ['80', 'Custom error: invalid transaction discriminator'],
    ['8100', 'Attempting to read 41 bytes'],
  ])('[L-14] [L-62] the bytes %s are refused as a cluster does: %s', (hex, why) => {
    expect(() => parseTransaction(Buffer.from(hex, 'hex'))).toThrow(
      `failed to deserialize solana_transaction::versioned::VersionedTransaction: ${why}`,
    );
  });

  test('[L-14] no bytes that are let through can harm the engine, which ends the process on what it cannot read', () => {
    const engine = new Engine();
    engine.setAccount(Uint8Array.from(getAddressEncoder().encode(payer.address)), {
      lamports: 1_000n * SOL,
      data: new Uint8Array(),
      owner: new Uint8Array(32),
      executable: false,
      rentEpoch: 0n,
    });
    const change = fc.tuple(fc.nat(400), fc.oneof(fc.nat(8), fc.nat(255)));
    const mutated = fc.tuple(fc.constantFrom(...seeds), fc.array(change, { minLength: 1, maxLength: 4 }), fc.nat(20));
    let ran = 0;
    fc.assert(
      fc.property(mutated, ([seed, changes, cut]) => {
        const bytes = Buffer.from(seed.subarray(0, seed.length - (cut > 15 ? cut : 0)));
        for (const [position, value] of changes) bytes[position % bytes.length] = value;
        const parsed = tryToParse(bytes);
        if (parsed === undefined) return;
        engine.simulate(parsed, false);
        expect(engine.execute(parsed as VerifiedTransaction, false).logs).toBeInstanceOf(Array);
        ran += 1;
      }),
      { numRuns: 1_500 },
    );
    expect(ran).toBeGreaterThan(100);
  });
});

type Decompress = (frame: Uint8Array) => Buffer;
const { zstdDecompressSync: decompress } = zlib as { readonly zstdDecompressSync?: Decompress };

describe('text forms', () => {
  test('[L-20] a stored zstd frame has its data in blocks of at most 128 KiB', () => {
    const header = '28b52ffd0058';
    expect(storedFrame(Buffer.from('abc')).toString('hex')).toBe(`${header}190000616263`);
    expect(storedFrame(Buffer.alloc(0)).toString('hex')).toBe(`${header}010000`);
    // What Agave 4.2 answers about an account with these bytes.
    expect(storedFrame(Buffer.from('test data')).toString('base64')).toBe('KLUv/QBYSQAAdGVzdCBkYXRh');
    const large = storedFrame(Buffer.alloc(131_073));
    expect(large.length).toBe(6 + 3 + 131_072 + 3 + 1);
    expect(large.subarray(6, 9).toString('hex')).toBe('000010');
    expect(large.subarray(-4).toString('hex')).toBe('09000000');
  });

  test.runIf(decompress !== undefined)('[L-20] a stored zstd frame is read by a zstd library', () => {
    for (const length of [0, 1, 1_000, 131_072, 300_000]) {
      const data = Buffer.alloc(length, 'data');
      expect(decompress?.(storedFrame(data)).equals(data)).toBe(true);
    }
  });

  test.runIf(decompress !== undefined)('[L-20] a compressed zstd frame is that of a cluster', () => {
    // Of a token account of 165 bytes, from Agave.
    const theirs =
      'KLUv/QBYbQIANAQabwjL/ggP9p8JIvjozrLTbn9yiLBEcl40PxbZc2kGxN++YxbNiIWM+zxxHYuV2FyrImZH2l93yTIUPo7gDw6JAAEAAgAEJwaY4Aw=';
    const data = decompress?.(Buffer.from(theirs, 'base64')) ?? Buffer.alloc(0);
    expect(data).toHaveLength(165);
    expect(zstdFrame(data).toString('base64')).toBe(theirs);
    for (const length of [0, 1, 1_000, 131_073, 3_000_000]) {
      const many = Buffer.alloc(length, 'data');
      expect(decompress?.(zstdFrame(many)).equals(many)).toBe(true);
    }
  });

  test('[L-20] base58 agrees with kit for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const text = toBase58(bytes);
        expect(text).toBe(getBase58Decoder().decode(bytes));
        expect(fromBase58(text)).toEqual(Uint8Array.from(getBase58Encoder().encode(text)));
        expect(fromBase58(text)).toEqual(bytes);
      }),
    );
  });

  test('[L-19] JSON with 64-bit integers comes back as it was', () => {
    const leaf = fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) => !Number.isInteger(one)),
      fc.maxSafeInteger(),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
      fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
      fc.stringMatching(/^[0-9"\\]{16,24}$/),
      fc.stringMatching(/^[0-9]{16,20}$/).map((digits) => `\u0000number:${digits}`),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('tree')), fc.dictionary(fc.string(), tie('tree'))),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(encodeJson(decodeJson(encodeJson(value)))).toBe(encodeJson(value));
      }),
    );
  });
});
