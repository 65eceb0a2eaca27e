import { RelayError } from '@legwork/protocol/contract';
import { missedRequirement, type Qualified } from '@legwork/protocol/rules';
import type { Db, Trx } from '../db/connect.js';
import { qualifiedAmong } from '../db/reputations.js';
import type { ListingRow } from '../db/legMoves.js';

type Asked = Pick<ListingRow, 'terms' | 'requirements'>;

/** What the agents have to show, as far as the listing asks for it. */
export async function qualifiedFor(
  trx: Db | Trx,
  { terms, requirements }: Asked,
  agents: readonly string[],
): Promise<Map<string, Qualified>> {
  return terms === null && requirements === null ? new Map<string, Qualified>() : qualifiedAmong(trx, agents);
}

/**
 * On a listing with terms, or with requirements, only agents bid that can be held to it: by a signature, and with an account of
 * their own that shows what they did. Rule T-54.
 *
 * @param shown by the agents, of {@link qualifiedFor}
 * @throws RelayError `signature_required`, `self_dealing` (T-29), `requirements_not_met`
 */
export function requireQualifiedBy(
  shown: ReadonlyMap<string, Qualified>,
  { terms, requirements }: Asked,
  { agentPubkey, signed }: { agentPubkey: string; signed: boolean },
): void {
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
  const found = shown.get(agentPubkey);
  if (found === undefined && terms !== null) {
    throw missed(
      'it has no reputation account; open one with open_reputation of a wallet, or POST /agents/:agentPubkey/build-open-tx',
    );
  }
  const agent = found ?? { agentPubkey, reliabilityScore: 0, legsCompleted: 0, capabilities: [] };
  const what = missedRequirement(requirements, agent);
  if (what !== undefined) throw missed(what);
}

/** As {@link requireQualifiedBy}, with what one agent has to show now. */
export async function requireQualified(
  trx: Db | Trx,
  listing: Asked,
  bidder: { agentPubkey: string; signed: boolean },
): Promise<void> {
  requireQualifiedBy(await qualifiedFor(trx, listing, [bidder.agentPubkey]), listing, bidder);
}

function missed(what: string): RelayError {
  return RelayError.field('requirements_not_met', 'agentPubkey', `cannot bid: ${what}`);
}
