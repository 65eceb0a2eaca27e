import type { Account } from '../bank/account.js';
import { arrayParam, configParam, encodedBytes, oneOf, sizeParam, stringParam, type Config } from './params.js';
import { invalidParams } from './rpcError.js';

export type AccountFilter = (account: Account) => boolean;

const MAX_FILTERS = 4;
const MAX_MEMCMP_BYTES = 128;

/** The filters of `getProgramAccounts` and `programSubscribe`: an account must pass all (L-18). */
export function programFilterParam(value: unknown): AccountFilter {
  if (value === undefined || value === null) return () => true;
  const filters = arrayParam(value, 'filters', MAX_FILTERS).map((one, index) =>
    filterParam(configParam(one, `filters[${index}]`), `filters[${index}]`),
  );
  return (account) => filters.every((passes) => passes(account));
}

function filterParam(filter: Config, name: string): AccountFilter {
  if (filter['dataSize'] !== undefined) {
    const size = sizeParam(filter['dataSize'], `${name}.dataSize`);
    return (account) => account.data.length === size;
  }
  if (filter['memcmp'] !== undefined)
    return memcmpParam(configParam(filter['memcmp'], `${name}.memcmp`), `${name}.memcmp`);
  throw invalidParams(`Invalid params: ${name} has neither \`dataSize\` nor \`memcmp\`, expected one of them.`);
}

function memcmpParam(memcmp: Config, name: string): AccountFilter {
  const offset = sizeParam(memcmp['offset'], `${name}.offset`);
  const bytes = bytesParam(memcmp, name);
  if (bytes.length > MAX_MEMCMP_BYTES) {
    throw invalidParams(
      `Invalid params: ${name}.bytes has ${bytes.length} bytes, expected at most ${MAX_MEMCMP_BYTES}.`,
    );
  }
  return (account) => Buffer.compare(account.data.subarray(offset, offset + bytes.length), bytes) === 0;
}

function bytesParam(memcmp: Config, name: string): Uint8Array {
  if (Array.isArray(memcmp['bytes'])) {
    return Uint8Array.from(arrayParam(memcmp['bytes'], `${name}.bytes`, MAX_MEMCMP_BYTES), (byte) => {
      if (typeof byte === 'number' && Number.isInteger(byte) && byte >= 0 && byte <= 255) return byte;
      throw invalidParams(`Invalid params: ${name}.bytes has an element that is not an integer from 0 to 255.`);
    });
  }
  const encoding = oneOf(memcmp['encoding'], `${name}.encoding`, ['base58', 'base64'], 'base58');
  return encodedBytes(stringParam(memcmp['bytes'], `${name}.bytes`), encoding);
}
