import { RelayError } from '@legwork/protocol/contract';
import { missedRequirement } from '@legwork/protocol/rules';
import type { Db, Trx } from '../db/connect.js';
import { qualifiedAmong } from '../db/reputations.js';
import type { ListingRow } from '../db/legMoves.js';

/**
 * On a listing with terms, or with requirements, only agents bid that can be held to it: by a signature, and with an account of
 * their own that shows what they did. Rule T-54.
 *
 * @throws RelayError `signature_required`, `self_dealing` (T-29), `requirements_not_met`
 */
export async function requireQualified(
  trx: Db | Trx,
  { terms, requirements }: Pick<ListingRow, 'terms' | 'requirements'>,
  { agentPubkey, signed }: { agentPubkey: string; signed: boolean },
): Promise<void> {
  if (terms === null && requirements === null) return;
  if (terms !== null && !signed) {
    throw new RelayError(
      'signature_required',
      'What it is for has terms, which bind both sides: sign the request with the key of the agent.',
    );
  }
  if (agentPubkey === terms?.arbiterPubkey || agentPubkey === terms?.receiverPubkey) {
    throw RelayError.field(
      'self_dealing',
      'agentPubkey',
      'is named by its terms as arbiter or receiver, and cannot work on it',
    );
  }
  const found = (await qualifiedAmong(trx, [agentPubkey])).get(agentPubkey);
  if (found === undefined && terms !== null) {
    throw missed('it has no reputation account; open one with POST /agents/:agentPubkey/build-open-tx');
  }
  const agent = found ?? { agentPubkey, reliabilityScore: 0, legsCompleted: 0, capabilities: [] };
  const what = missedRequirement(requirements, agent);
  if (what !== undefined) throw missed(what);
}

function missed(what: string): RelayError {
  return RelayError.field('requirements_not_met', 'agentPubkey', `cannot bid: ${what}`);
}
