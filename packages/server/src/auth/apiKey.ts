import { createHash, timingSafeEqual } from 'node:crypto';
import { RelayError } from '@agent-relay/protocol';
import type { Config } from '../config.js';

/** Header that holds an API key. Rule S-17. */
export const HEADER_API_KEY = 'X-Api-Key';

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

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
  const hash = digest(given);
  const matches = apiKeys.filter((key) => timingSafeEqual(digest(key), hash));
  return matches.length === 0 ? undefined : hash.toString('hex');
}

/** @throws RelayError `api_key_required` (401) */
export function refuseWithoutApiKey(): never {
  throw new RelayError(
    'api_key_required',
    `Send ${HEADER_API_KEY} with a key that the operator of this service gave you.`,
  );
}
