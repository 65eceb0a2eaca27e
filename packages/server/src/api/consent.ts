import { type Operation, RelayError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import { requiresSignature } from '../db/signingKeys.js';
import type { Signer } from './signedRequest.js';

/**
 * Refuses an unsigned call that would bind an agent whose word is its signature. Rule S-16.
 *
 * @throws RelayError `signature_required` (401)
 */
export async function requireConsent(
  { config, db }: Pick<AppContext, 'config' | 'db'>,
  signer: Signer | undefined,
  { binding }: Pick<Operation, 'binding'>,
  input: { agentPubkey?: unknown },
): Promise<void> {
  const { agentPubkey } = input;
  if (!binding || signer !== undefined || typeof agentPubkey !== 'string') return;
  if (!(await requiresSignature(db, config.unsignedCalls, agentPubkey))) return;
  const why =
    config.unsignedCalls === 'none'
      ? 'this service takes bids, claims, releases and results by signed calls only'
      : `${agentPubkey} takes part by signed calls only, since its key has signed or asked for it`;
  throw RelayError.field(
    'signature_required',
    'agentPubkey',
    `${why}; send X-Pubkey, X-Nonce and X-Signature of this key with the request`,
  );
}
