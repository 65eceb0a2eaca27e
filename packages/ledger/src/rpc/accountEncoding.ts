import { fromBase58, toBase58 } from '../bank/keys.js';
import * as zlib from 'node:zlib';
import type { Account } from '../bank/account.js';
import type { FoundAccount } from '../bank/accounts.js';
import { isTokenProgram } from '../bank/token.js';
import { configParam, oneOf, sizeParam, type Config } from './params.js';
import type { MintScales } from './parsed/accounts/mintScale.js';
import { parseAccount } from './parsed/accounts/parseAccount.js';
import { RPC_CODES, RpcError } from './rpcError.js';

/** Text that is not in its encoding. The message names the first fault as Agave does. */
export class DecodingError extends Error {
  override readonly name = 'DecodingError';
}

/** Decodes base64 or base58; strict, since a lenient decoder would change what was meant. @throws DecodingError */
export function decodeText(text: string, encoding: 'base58' | 'base64'): Uint8Array {
  return encoding === 'base58' ? decodeBase58(text) : decodeBase64(text);
}

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]*$/;

function decodeBase58(text: string): Uint8Array {
  if (BASE58.test(text)) return fromBase58(text);
  const index = text.search(/[^1-9A-HJ-NP-Za-km-z]/);
  const offset = Buffer.byteLength(text.slice(0, index));
  const character = text.charAt(index);
  throw new DecodingError(
    character > '\u007f'
      ? `NonAsciiCharacter { index: ${offset} }`
      : `InvalidCharacter { character: '${character}', index: ${offset} }`,
  );
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function decodeBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  if (text.length % 4 === 0 && bytes.toString('base64') === text) return bytes;
  throw new DecodingError(base64Fault(text));
}

function base64Fault(text: string): string {
  const digits = /^[A-Za-z0-9+/]*/.exec(text)?.[0] ?? '';
  const [open, padding] = [digits.length % 4, text.length - digits.length];
  // One or two fill a group that has two or three digits.
  const isMisplaced = padding > 0 && (open < 2 || open + padding > 4);
  if (isMisplaced || !BASE64.test(text)) {
    return `InvalidByte(${digits.length}, ${Buffer.from(text)[digits.length] ?? 0})`;
  }
  if (open === 1) return `InvalidLength(${text.length})`;
  if (text.length % 4 !== 0) return 'InvalidPadding';
  return `InvalidLastSymbol(${digits.length - 1}, ${digits.charCodeAt(digits.length - 1)})`;
}

type Compress = (data: Uint8Array, options: { readonly params: Readonly<Record<number, number>> }) => Buffer;

/** Node has zstd from 22.15 on. */
const { zstdCompressSync: compress } = zlib as { readonly zstdCompressSync?: Compress };
/** The number of zstd's parameter `contentSizeFlag`. */
const CONTENT_SIZE_FLAG = 200;

/**
 * Data as a zstd frame: compressed where Node can, a token account's into a cluster's very bytes; else in uncompressed blocks, which
 * every reader accepts, and of which a cluster makes a small account's frame as well.
 */
export function zstdFrame(data: Uint8Array): Buffer {
  if (compress === undefined) return storedFrame(data);
  const frame = compress(data, { params: { [CONTENT_SIZE_FLAG]: 0 } });
  // Node tells the least window that these blocks need; a cluster, which does not know the size, the largest.
  FRAME_HEADER.copy(frame, MAGIC.length);
  return frame;
}

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** As a cluster writes it: no size, no checksum, and a window of 2 MiB. */
const FRAME_HEADER = Buffer.from([0x00, 0x58]);
const MAX_BLOCK_BYTES = 128 * 1024;

/** A zstd frame (RFC 8878) of raw blocks. */
export function storedFrame(data: Uint8Array): Buffer {
  const parts: Uint8Array[] = [MAGIC, FRAME_HEADER];
  let offset = 0;
  do {
    const block = data.subarray(offset, offset + MAX_BLOCK_BYTES);
    offset += block.length;
    const isLast = offset === data.length;
    const header = Buffer.alloc(3);
    header.writeUIntLE((block.length << 3) | (isLast ? 1 : 0), 0, 3);
    parts.push(header, block);
  } while (offset < data.length);
  return Buffer.concat(parts);
}

const ENCODINGS = ['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed'] as const;
type Encoding = (typeof ENCODINGS)[number];

export type AccountView = {
  readonly encoding: Encoding;
  readonly slice: { readonly offset: number; readonly length: number } | undefined;
};

const MAX_BASE58_BYTES = 128;

/** How a call wants account data. `binary`, the default, is bare base58 text, for old clients. */
export function accountViewParam(config: Config, fallback: Encoding = 'binary'): AccountView {
  const encoding = oneOf(config['encoding'], 'encoding', ENCODINGS, fallback);
  const wanted = config['dataSlice'];
  if (wanted === undefined || wanted === null) return { encoding, slice: undefined };
  const slice = configParam(wanted, 'dataSlice');
  return {
    encoding,
    slice: {
      offset: sizeParam(slice['offset'], 'dataSlice.offset'),
      length: sizeParam(slice['length'], 'dataSlice.length'),
    },
  };
}

/** An account as clients see it. Token accounts are parsed with their mints of the same moment. */
export function encodeAccountView(
  address: Uint8Array,
  account: Account,
  view: AccountView,
  scales: MintScales,
): EncodedAccount {
  return {
    data:
      (view.encoding === 'jsonParsed' ? parseAccount(address, account, scales) : undefined) ?? encode(account, view),
    executable: account.executable,
    lamports: account.lamports,
    owner: toBase58(account.owner),
    rentEpoch: account.rentEpoch,
    space: account.data.length,
  };
}

type EncodedAccount = {
  readonly data: object | string;
  readonly executable: boolean;
  readonly lamports: bigint;
  readonly owner: string;
  readonly rentEpoch: bigint;
  readonly space: number;
};

/**
 * Accounts with their addresses, in the order of these. As on a cluster, jsonParsed leaves out accounts of the token
 * programs that do not parse.
 */
export function encodeAccountList(found: Iterable<FoundAccount>, view: AccountView, scales: MintScales): object[] {
  const sorted = [...found].sort((one, other) => Buffer.compare(one.address, other.address));
  return sorted.flatMap(({ address, account }) => {
    const encoded = encodeAccountView(address, account, view, scales);
    const isUnparsed = view.encoding === 'jsonParsed' && Array.isArray(encoded.data);
    return isUnparsed && isTokenProgram(account.owner) ? [] : [{ account: encoded, pubkey: toBase58(address) }];
  });
}

function encode({ data, owner }: Account, view: AccountView): object | string {
  // As on a cluster: of a token program's account, jsonParsed ignores the slice.
  const slice = view.encoding === 'jsonParsed' && isTokenProgram(owner) ? undefined : view.slice;
  const part = slice === undefined ? data : data.subarray(slice.offset, slice.offset + slice.length);
  return encodeData(part, view.encoding);
}

function encodeData(data: Uint8Array, encoding: Encoding): object | string {
  if (encoding === 'binary') return toBase58(checked(data));
  if (encoding === 'base58') return [toBase58(checked(data)), encoding];
  if (encoding === 'base64+zstd') return [zstdFrame(data).toString('base64'), encoding];
  // Data without a parser falls back to base64 (L-20).
  return [Buffer.from(data).toString('base64'), 'base64'];
}

function checked(data: Uint8Array): Uint8Array {
  if (data.length > MAX_BASE58_BYTES) {
    throw new RpcError(
      RPC_CODES.invalidRequest,
      `Encoded binary (base 58) data should be less than ${MAX_BASE58_BYTES} bytes, please use Base64 encoding.`,
    );
  }
  return data;
}
