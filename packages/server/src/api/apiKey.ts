import { RelayError } from '@legwork/protocol/contract';
import type { Config } from '../config.js';
import { isSameSecret, sha256 } from './sameSecret.js';

/** Header that holds an API key. Rule S-17. */
export const HEADER_API_KEY = 'X-Api-Key';

/**
 * The sha256 (hex) of the API key that a request gave; undefined when it gave none that this service knows. How long it
 * takes says nothing of the keys.
 */
export function knownApiKey(
  { apiKeys }: Pick<Config, 'apiKeys'>,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const given = headers[HEADER_API_KEY.toLowerCase()];
  if (apiKeys.length === 0 || typeof given !== 'string') return undefined;
  const matches = apiKeys.filter((key) => isSameSecret(key, given));
  return matches.length === 0 ? undefined : sha256(given).toString('hex');
}

/** @throws RelayError `api_key_required` (401) */
export function refuseWithoutApiKey(): never {
  throw new RelayError(
    'api_key_required',
    `Send ${HEADER_API_KEY} with a key that the operator of this service gave you.`,
  );
}
