import { OPEN_REPUTATION, LegworkError } from '@legwork/protocol/contract';
import type { Qualified } from '@legwork/protocol/rules';
import { type Admitting, asksWho, type Obstacle, obstacleTo, unknownAgent } from '../coordinator/admission.js';
import type { AppContext } from '../context.js';
import type { Db, Trx } from '../db/connect.js';
import { qualifiedAmong } from './reputationRows.js';

type Judging = Pick<AppContext, 'config' | 'clock'>;

/** The listing that is bid on, with its lister. */
type Listing = Admitting & { readonly shipper_pubkey: string };

/** The qualifications of the agents, as far as the listing asks for them. */
export async function qualifiedFor(
  trx: Db | Trx,
  listing: Admitting,
  agents: readonly string[],
): Promise<Map<string, Qualified>> {
  return asksWho(listing) ? qualifiedAmong(trx, agents) : new Map<string, Qualified>();
}

/**
 * On a listing with terms, or with requirements, only agents bid that can be held to it: by a signature, and with an account of
 * their own that shows what they did. Rule T-54.
 *
 * @param shown by the agents, of {@link qualifiedFor}
 * @throws LegworkError `self_dealing` (T-29), `signature_required`, `requirements_not_met`, `agent_waits`
 */
export function requireQualifiedBy(
  context: Judging,
  shown: ReadonlyMap<string, Qualified>,
  listing: Listing,
  { agentPubkey, signed }: { agentPubkey: string; signed: boolean },
): void {
  const { terms } = listing;
  // First of all: neither a signature nor an account, which costs its rent, makes these good.
  if ([listing.shipper_pubkey, terms?.arbiterPubkey, terms?.receiverPubkey].includes(agentPubkey)) {
    throw LegworkError.field(
      'self_dealing',
      'agentPubkey',
      'listed it, or is named by its terms as arbiter or receiver, and cannot work on it; bid with another agent',
    );
  }
  if (!asksWho(listing)) return;
  if (terms !== null && !signed) {
    throw new LegworkError(
      'signature_required',
      'What it is for has terms, which bind both sides: sign the request with the key of the agent.',
    );
  }
  const found = shown.get(agentPubkey);
  if (found === undefined && terms !== null) {
    const what = `it has no reputation account; open one with ${OPEN_REPUTATION}`;
    throw cannotBid({ code: 'requirements_not_met', what });
  }
  const obstacle = obstacleTo(context, listing, found ?? unknownAgent(agentPubkey));
  if (obstacle) throw cannotBid(obstacle);
}

/** As {@link requireQualifiedBy}, with what one agent has to show now. */
export async function requireQualified(
  context: Judging,
  trx: Db | Trx,
  listing: Listing,
  bidder: { agentPubkey: string; signed: boolean },
): Promise<void> {
  requireQualifiedBy(context, await qualifiedFor(trx, listing, [bidder.agentPubkey]), listing, bidder);
}

function cannotBid({ code, what }: Obstacle): LegworkError {
  return LegworkError.field(code, 'agentPubkey', `cannot bid: ${what}`);
}
