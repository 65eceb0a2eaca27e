import { RelayError } from '@agent-relay/protocol';
import type { AppContext } from '../context.js';
import { requiresSignedCalls } from '../db/agents.js';
import type { Caller } from './implement.js';

/**
 * Refuses an unsigned call in the name of an agent that asked for signed ones. Call it before anything is changed. Rule S-16.
 *
 * @throws RelayError `signature_required` (401)
 */
export async function requireConsent(
  { db }: Pick<AppContext, 'db'>,
  caller: Caller,
  field: string,
  pubkey: string,
): Promise<void> {
  if (caller.pubkey === pubkey || !(await requiresSignedCalls(db, pubkey))) return;
  throw RelayError.field(
    'signature_required',
    field,
    `${pubkey} takes part by signed calls only; send X-Pubkey, X-Nonce and X-Signature of this key with the request`,
  );
}
