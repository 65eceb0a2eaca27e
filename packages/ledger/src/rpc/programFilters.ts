import type { Account } from '../bank/account.js';
import type { Trait } from '../bank/accountIndex.js';
import { looksLikeTokenAccount, TOKEN_ACCOUNT_BYTES } from '../bank/token.js';
import { DecodingError, decodeText } from './accountEncoding.js';
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
  const wanted = arrayParam(value);
  if (wanted.length > MAX_FILTERS) throw invalidParams(`Too many filters provided; max ${MAX_FILTERS}`);
  const filters = wanted.map((one) => filterOf(one as 'tokenAccountState' | Config));
  return (account) => filters.every((passes) => passes(account));
}

/** Where token accounts have what an index finds them by; the owner counts before the mint. */
const TRAITS = [
  { trait: 'tokenOwner', offset: 32, name: 'owner' },
  { trait: 'mint', offset: 0, name: 'mint' },
] as const;

/**
 * The mint or owner of token accounts that filters ask for, so that an index finds the candidates.
 *
 * @param value filters that `programFilterParam` read
 * @throws RpcError when one of them is no address
 */
export function tokenTraitIn(value: unknown): { readonly trait: Trait; readonly value: Uint8Array } | undefined {
  const filters = (value ?? []) as readonly ('tokenAccountState' | Config)[];
  const wantsTokens = filters.some(
    (one) => one === 'tokenAccountState' || Number(one['dataSize']) === TOKEN_ACCOUNT_BYTES,
  );
  for (const { trait, offset, name } of TRAITS) {
    const address = addressAt(offset, name, filters);
    if (!wantsTokens || address === undefined) continue;
    // Zeros are in accounts, too, that are not initialized, which no index has.
    return address.some((byte) => byte !== 0) ? { trait, value: address } : undefined;
  }
  return undefined;
}

function addressAt(
  offset: number,
  name: string,
  filters: readonly ('tokenAccountState' | Config)[],
): Uint8Array | undefined {
  const addresses = filters.flatMap((one) => {
    const memcmp = one === 'tokenAccountState' ? undefined : (one['memcmp'] as Config | undefined);
    return memcmp !== undefined && Number(memcmp['offset']) === offset ? [bytesOf(memcmp)] : [];
  });
  const wrong = addresses.find(({ length }) => length !== 32);
  if (wrong === undefined) return addresses.at(-1);
  throw invalidParams(`Incorrect byte length ${wrong.length} for SPL token ${name} filter, expected 32`);
}

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
