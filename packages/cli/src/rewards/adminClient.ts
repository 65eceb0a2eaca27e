import { createRelayClient, type RelayClient } from '@legwork/sdk';
import { UserError } from '../userError.js';

/** A client that may do what is the operator's alone. @throws UserError when ADMIN_KEY is not set */
export function adminClient(url: string, env: Record<string, string | undefined>): RelayClient {
  const adminKey = env['ADMIN_KEY'];
  if (adminKey === undefined || adminKey === '') {
    throw new UserError('ADMIN_KEY is not set. Set it to the one that the service was started with.');
  }
  return createRelayClient({ url, adminKey });
}
