import { RelayError } from '@legwork/protocol/contract';
import type { Config } from '../config.js';
import { isSameSecret } from './sameSecret.js';

/** Header that holds the key of whoever runs the service. Rule S-68. */
export const HEADER_ADMIN_KEY = 'X-Admin-Key';

/** Whether a request holds the configured key. How long it takes says nothing of the key. */
export function holdsAdminKey(
  { adminKey }: Pick<Config, 'adminKey'>,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): boolean {
  const given = headers[HEADER_ADMIN_KEY.toLowerCase()];
  return adminKey !== undefined && typeof given === 'string' && isSameSecret(given, adminKey);
}

/** @throws RelayError `admin_key_required` (401) */
export function refuseWithoutAdminKey({ adminKey }: Pick<Config, 'adminKey'>): never {
  const detail =
    adminKey === undefined
      ? 'This service has no ADMIN_KEY configured, so nobody may do this.'
      : `Send ${HEADER_ADMIN_KEY} with the ADMIN_KEY of this service.`;
  throw new RelayError('admin_key_required', detail);
}
