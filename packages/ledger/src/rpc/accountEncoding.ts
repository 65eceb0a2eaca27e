import type { Account } from '../bank/account.js';
import type { FoundAccount } from '../bank/accounts.js';
import { toBase58 } from '../bank/keys.js';
import { isTokenProgram } from '../bank/token.js';
import { configParam, oneOf, sizeParam, type Config } from './params.js';
import type { MintScales } from './parsed/accounts/mintScale.js';
import { parseAccount } from './parsed/accounts/parseAccount.js';
import { RPC_CODES, RpcError } from './rpcError.js';
import { zstdFrame } from './zstd.js';

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

export type EncodedAccount = {
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
  // What has no parser falls back to base64 (L-20).
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
