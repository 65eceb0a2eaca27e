import type { Account } from '../bank/account.js';
import type { Trait } from '../bank/accountIndex.js';
import { looksLikeTokenAccount, TOKEN_ACCOUNT_BYTES } from '../bank/token.js';
import { DecodingError, decodeText } from './encodings.js';
import { arrayParam, sizeParam, type Config } from './params.js';
import { invalidParams } from './rpcError.js';

export type AccountFilter = (account: Account) => boolean;

const MAX_FILTERS = 4;
const MAX_MEMCMP_BYTES = 128;
/** The longest encoding of 128 bytes. */
const MAX_ENCODED = { base58: 175, base64: 172 } as const;

/** The filters of `getProgramAccounts` and `programSubscribe`: an account must pass all (L-18). */
export function programFilterParam(value: unknown): AccountFilter {
  if (value === undefined || value === null) return () => true;
  const wanted = arrayParam(value, 'filters', Infinity);
  if (wanted.length > MAX_FILTERS) throw invalidParams(`Too many filters provided; max ${MAX_FILTERS}`);
  const filters = wanted.map((one) => filterOf(one as 'tokenAccountState' | Config));
  return (account) => filters.every((passes) => passes(account));
}

/**
 * The mint or owner of token accounts that filters ask for, so that an index finds the candidates.
 *
 * @param value filters that `programFilterParam` read
 */
export function tokenTraitIn(value: unknown): { readonly trait: Trait; readonly value: Uint8Array } | undefined {
  const filters = (value ?? []) as readonly ('tokenAccountState' | Config)[];
  const wantsTokens = filters.some(
    (one) => one === 'tokenAccountState' || Number(one['dataSize']) === TOKEN_ACCOUNT_BYTES,
  );
  if (!wantsTokens) return undefined;
  for (const one of filters) {
    const memcmp = one === 'tokenAccountState' ? undefined : (one['memcmp'] as Config | undefined);
    const trait = memcmp === undefined ? undefined : TRAIT_AT[Number(memcmp['offset'])];
    const bytes = memcmp === undefined || trait === undefined ? undefined : bytesOf(memcmp);
    // Zeros are in accounts, too, that are not initialized, which no index has.
    if (trait !== undefined && bytes?.length === 32 && bytes.some((byte) => byte !== 0)) return { trait, value: bytes };
  }
  return undefined;
}

const TRAIT_AT: Readonly<Record<number, Trait>> = { 0: 'mint', 32: 'tokenOwner' };

function filterOf(filter: 'tokenAccountState' | Config): AccountFilter {
  if (filter === 'tokenAccountState') return ({ data }) => looksLikeTokenAccount(data);
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
