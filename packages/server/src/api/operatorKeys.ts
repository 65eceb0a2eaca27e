import { createHash, timingSafeEqual } from 'node:crypto';
import { LegworkError } from '@legwork/protocol/contract';
import type { Config } from '../config.js';

/** Header that holds an API key, which lets the caller have the coordinator spend its SOL. Rule S-17. */
export const HEADER_API_KEY = 'X-Api-Key';
/** Header that holds the operator's own key. Rule S-68. */
export const HEADER_ADMIN_KEY = 'X-Admin-Key';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The sha256 (hex) of the API key that a request gives; undefined when it gives none that this service knows. The time it
 * takes reveals nothing about the keys.
 */
export function knownApiKey({ apiKeys }: Pick<Config, 'apiKeys'>, headers: Headers): string | undefined {
  const given = headers[HEADER_API_KEY.toLowerCase()];
  if (apiKeys.length === 0 || typeof given !== 'string') return undefined;
  const matches = apiKeys.filter((key) => isSameSecret(key, given));
  return matches.length === 0 ? undefined : sha256(given).toString('hex');
}

/** Returns whether a request holds the operator's key. The time it takes reveals nothing about the key. */
export function holdsAdminKey({ adminKey }: Pick<Config, 'adminKey'>, headers: Headers): boolean {
  const given = headers[HEADER_ADMIN_KEY.toLowerCase()];
  return adminKey !== undefined && typeof given === 'string' && isSameSecret(given, adminKey);
}

/** @throws LegworkError `api_key_required` (401) */
export function refuseWithoutApiKey(): never {
  throw new LegworkError(
    'api_key_required',
    `Send ${HEADER_API_KEY} with a key that the operator of this service gave you.`,
  );
}

/** @throws LegworkError `admin_key_required` (401) */
export function refuseWithoutAdminKey({ adminKey }: Pick<Config, 'adminKey'>): never {
  const detail =
    adminKey === undefined
      ? 'This service has no ADMIN_KEY configured, so nobody may do this.'
      : `Send ${HEADER_ADMIN_KEY} with the ADMIN_KEY of this service.`;
  throw new LegworkError('admin_key_required', detail);
}

function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
