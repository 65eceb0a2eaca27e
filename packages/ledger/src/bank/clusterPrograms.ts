import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { RENT_EXEMPT_EPOCH, SYSTEM_PROGRAM, type Account } from './account.js';
import { fromBase58 } from './keys.js';
import { LOADER_2, programDataOf, programOf } from './programs.js';

/** A program that every cluster has: its file, its address, and that of its code if it can be upgraded. */
type ClusterProgram = { readonly file: string; readonly address: string; readonly code?: string };

/** Those of the genesis of Agave 4.2, the very bytes. Rule L-84. */
const PROGRAMS: readonly ClusterProgram[] = [
  {
    file: 'address-lookup-table',
    address: 'AddressLookupTab1e1111111111111111111111111',
    code: '4zSpbk5jGQyMmUrqCSjFZbRKwsrMXBPsyTzjhJEAsefG',
  },
  { file: 'associated-token', address: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' },
  {
    file: 'config',
    address: 'Config1111111111111111111111111111111111111',
    code: 'CHKQ74qcDUJbwc4snCEZXL8tV1WQvXqioArLGgUHPZq9',
  },
  {
    file: 'feature-gate',
    address: 'Feature111111111111111111111111111111111111',
    code: 'H253PPA38ecQvnpSvfWgqBfMuVgZ656CEXLgTHwZQHfs',
  },
  { file: 'memo-1', address: 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo' },
  { file: 'memo-3', address: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' },
  {
    file: 'memo-4',
    address: 'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH',
    code: 'HPD8Gxq19uaXy6zDaEGBtkb9NEZwd4jRTnXQ4GM8qe86',
  },
  {
    file: 'stake',
    address: 'Stake11111111111111111111111111111111111111',
    code: '6WU8Nxarf9fudRK5atWwjLY4vFaw5UrrWhL88qz7iCMJ',
  },
  {
    file: 'token',
    address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    code: '3gvYRKWyXRR9xKWe1ZjPhLY5ZJRN7KDB4rFZFGoJfFk2',
  },
  {
    file: 'token-2022',
    address: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
    code: 'DoU57AYuPFu2QU514RktNPG22QhApEjnKxnBcu4BHDTY',
  },
];

/**
 * The accounts of these programs, the code of each before the program.
 *
 * @param minimum rent-exempt lamports of so many bytes
 */
export function* clusterPrograms(
  minimum: (bytes: bigint) => bigint,
): Generator<{ readonly address: Uint8Array; readonly account: Account }> {
  for (const { file, address, code } of PROGRAMS) {
    const data = bytesOf(file);
    const lamports = minimum(BigInt(data.length));
    const rentEpoch = RENT_EXEMPT_EPOCH;
    if (code === undefined) {
      yield { address: fromBase58(address), account: { lamports, data, owner: LOADER_2, executable: true, rentEpoch } };
      continue;
    }
    const codeAddress = fromBase58(code);
    yield { address: codeAddress, account: { ...programDataOf(data, SYSTEM_PROGRAM, minimum), rentEpoch } };
    yield { address: fromBase58(address), account: { ...programOf(codeAddress, minimum), rentEpoch } };
  }
}

/** Ledgers that come and go in one process, as those of tests, read each once. */
const read = new Map<string, Uint8Array>();

function bytesOf(file: string): Uint8Array {
  const bytes = read.get(file) ?? brotliDecompressSync(readFileSync(pathOf(file)));
  read.set(file, bytes);
  return bytes;
}

/**
 * By the package's name: that leads there from its source, from what it is built to, and from the command in
 * one piece.
 */
function pathOf(file: string): string {
  return fileURLToPath(import.meta.resolve(`@legwork/ledger/programs/${file}.so.br`));
}
