import { formatPubkey, parsePubkey, PUBKEY_LENGTH } from '@legwork/protocol/contract';
import { sha256 } from '@noble/hashes/sha2.js';
import {
  createDecoder,
  createEncoder,
  type Address,
  type FixedSizeDecoder,
  type FixedSizeEncoder,
  type ProgramDerivedAddress,
  type ProgramDerivedAddressBump,
  type ReadonlyUint8Array,
} from '@solana/kit';

/*
 * Addresses as generated code uses them, under the library's names. The library uses big integers throughout and asks the thread pool for
 * each digest: deriving an address takes it 550 µs, and this module 70; reading or writing one 10 to 20 µs, and this module 2.
 */

export { isProgramDerivedAddress } from '@solana/kit';
export type { Address, ProgramDerivedAddress };

const encoder: FixedSizeEncoder<Address, 32> = createEncoder({
  fixedSize: PUBKEY_LENGTH,
  write(address: Address, bytes, at) {
    bytes.set(parsePubkey(address), at);
    return at + PUBKEY_LENGTH;
  },
});

const decoder: FixedSizeDecoder<Address, 32> = createDecoder({
  fixedSize: PUBKEY_LENGTH,
  read: (bytes, at) => [formatPubkey(bytes.slice(at, at + PUBKEY_LENGTH)) as Address, at + PUBKEY_LENGTH],
});

/** Writes an address as 32 bytes. Its `encode` throws PubkeyError for text that is none. */
export const getAddressEncoder = (): FixedSizeEncoder<Address, 32> => encoder;

/** Reads an address from 32 bytes. Its `decode` throws PubkeyError where there are fewer. */
export const getAddressDecoder = (): FixedSizeDecoder<Address, 32> => decoder;

const MARK = new TextEncoder().encode('ProgramDerivedAddress');
const MOST_SEED_BYTES = 32;

/**
 * The address that a program has for these seeds: the first, from bump 255 downward, that is no point on the curve, so that nobody
 * can have its private key.
 *
 * @throws RangeError when a seed has more than 32 bytes
 */
export async function getProgramDerivedAddress({
  programAddress,
  seeds,
}: {
  programAddress: Address;
  seeds: readonly ReadonlyUint8Array[];
}): Promise<ProgramDerivedAddress> {
  const long = seeds.find(({ length }) => length > MOST_SEED_BYTES);
  if (long !== undefined) throw new RangeError(`A seed has ${MOST_SEED_BYTES} bytes at most, not ${long.length}`);
  const bump = Uint8Array.of(255);
  const parts = [...seeds, bump, parsePubkey(programAddress), MARK];
  for (; ; bump[0] = (bump[0] ?? 0) - 1) {
    const hash = sha256.create();
    for (const part of parts) hash.update(part as Uint8Array);
    const bytes = hash.digest();
    if (!isOnCurve(bytes)) return [formatPubkey(bytes) as Address, bump[0] as ProgramDerivedAddressBump] as const;
  }
}

/** The field of the curve ed25519 (RFC 8032, 5.1), and its constant. */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/**
 * Reports whether bytes are a point: there is an x to the y that they write. x² is (y² - 1) / (d y² + 1), which is a square exactly
 * where the product of both is one.
 */
function isOnCurve(bytes: Uint8Array): boolean {
  const hex = Array.from(bytes, (byte, at) =>
    (at === PUBKEY_LENGTH - 1 ? byte & 127 : byte).toString(16).padStart(2, '0'),
  );
  const y = BigInt(`0x${hex.reverse().join('')}`);
  const square = (y * y) % P;
  return jacobi(((square + P - 1n) * (D * square + 1n)) % P, P) !== -1;
}

/** The Jacobi symbol: for a prime n, 1 if a is a square modulo n, 0 if n divides it, else -1. */
function jacobi(a: bigint, n: bigint): number {
  let symbol = 1;
  while (a !== 0n) {
    const twos = trailingZeros(a);
    a >>= BigInt(twos);
    const residue = Number(n & 7n);
    if (twos % 2 === 1 && (residue === 3 || residue === 5)) symbol = -symbol;
    if (residue % 4 === 3 && Number(a & 3n) === 3) symbol = -symbol;
    [a, n] = [n % a, a];
  }
  return n === 1n ? symbol : 0;
}

function trailingZeros(number: bigint): number {
  for (let below = 0; ; below += 32) {
    const word = Number((number >> BigInt(below)) & 0xffff_ffffn);
    if (word !== 0) return below + 31 - Math.clz32(word & -word);
  }
}
