import type { Account } from '../bank/account.js';
import { toBase58 } from '../bank/keys.js';
import { configParam, oneOf, sizeParam, type Config } from './params.js';
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

export function encodeAccountView(account: Account, view: AccountView): object {
  const { offset, length } = view.slice ?? { offset: 0, length: account.data.length };
  return {
    data: encodeData(account.data.subarray(offset, offset + length), view.encoding),
    executable: account.executable,
    lamports: account.lamports,
    owner: toBase58(account.owner),
    rentEpoch: account.rentEpoch,
    space: account.data.length,
  };
}

function encodeData(data: Uint8Array, encoding: Encoding): unknown {
  if (encoding === 'binary') return toBase58(checked(data));
  if (encoding === 'base58') return [toBase58(checked(data)), encoding];
  if (encoding === 'base64+zstd') return [zstdFrame(data).toString('base64'), encoding];
  // There are no parsers: like a cluster for an unknown program, jsonParsed falls back to base64 (L-20).
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
