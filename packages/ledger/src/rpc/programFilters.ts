import type { Account } from '../bank/account.js';
import { DecodingError, decodeText } from './encodings.js';
import { arrayParam, sizeParam, type Config } from './params.js';
import { invalidParams } from './rpcError.js';

export type AccountFilter = (account: Account) => boolean;

const MAX_FILTERS = 4;
const MAX_MEMCMP_BYTES = 128;
/** The longest encoding of 128 bytes. */
const MAX_ENCODED = { base58: 175, base64: 172 } as const;

const TOKEN_ACCOUNT_BYTES = 165;
const MULTISIG_BYTES = 355;
const TOKEN_STATE_OFFSET = 108;
const TOKEN_ACCOUNT_TYPE = 2;

/** The filters of `getProgramAccounts` and `programSubscribe`: an account must pass all (L-18). */
export function programFilterParam(value: unknown): AccountFilter {
  if (value === undefined || value === null) return () => true;
  const wanted = arrayParam(value, 'filters', Infinity);
  if (wanted.length > MAX_FILTERS) throw invalidParams(`Too many filters provided; max ${MAX_FILTERS}`);
  const filters = wanted.map((one) => filterOf(one as 'tokenAccountState' | Config));
  return (account) => filters.every((passes) => passes(account));
}

function filterOf(filter: 'tokenAccountState' | Config): AccountFilter {
  if (filter === 'tokenAccountState') return isTokenAccount;
  if ('memcmp' in filter) return memcmpOf(filter['memcmp'] as Config);
  const size = sizeParam(filter['dataSize'], 'dataSize');
  return (account) => account.data.length === size;
}

function memcmpOf(memcmp: Config): AccountFilter {
  const offset = sizeParam(memcmp['offset'], 'offset');
  const bytes = bytesOf(memcmp);
  if (bytes.length > MAX_MEMCMP_BYTES) throw tooLarge();
  return ({ data }) =>
    offset <= data.length && Buffer.compare(data.subarray(offset, offset + bytes.length), bytes) === 0;
}

function bytesOf(memcmp: Config): Uint8Array {
  const { bytes } = memcmp;
  if (typeof bytes !== 'string') return Uint8Array.from(bytes as readonly number[]);
  const encoding = memcmp['encoding'] === 'base64' ? 'base64' : 'base58';
  if (bytes.length > MAX_ENCODED[encoding]) throw tooLarge();
  try {
    return decodeText(bytes, encoding);
  } catch (error) {
    if (!(error instanceof DecodingError)) throw error;
    const fault = encoding === 'base64' ? 'Base64DecodeError' : 'Base58DecodeError';
    throw invalidParams(`Invalid param: ${fault}(${error.message})`);
  }
}

function tooLarge(): Error {
  return invalidParams('Invalid param: DataTooLarge');
}

/** Whether data is an initialized token account's, of either token program. */
function isTokenAccount({ data }: Account): boolean {
  if (data.length === TOKEN_ACCOUNT_BYTES) return data[TOKEN_STATE_OFFSET] !== 0;
  if (data.length < TOKEN_ACCOUNT_BYTES || data.length === MULTISIG_BYTES) return false;
  return data[TOKEN_ACCOUNT_BYTES] === TOKEN_ACCOUNT_TYPE && data[TOKEN_STATE_OFFSET] !== 0;
}
