import { RelayError } from '@legwork/protocol/contract';
import { MAX_LIVE_BIDS_PER_AGENT } from '@legwork/protocol/rules';
import { endBid, findRivals, insertBid, type NewBid } from '../../db/bids.js';
import type { Trx } from '../../db/connect.js';
import type { BidRow } from '../../db/schema.js';
import { noteSigningKey } from '../../db/signingKeys.js';

/**
 * Signed bids are counted without unsigned ones, which anybody can make in the agent's name. Rule M-37.
 *
 * @throws RelayError `too_many_bids`
 */
function requireRoom(bid: NewBid, live: number): void {
  if (live < MAX_LIVE_BIDS_PER_AGENT) return;
  throw RelayError.field(
    'too_many_bids',
    'packageId',
    `has ${live} live bids of ${bid.agent_pubkey}, the most there may be; withdraw one, bid again for the places of one ` +
      'of them to replace it, or wait until one expires',
  );
}

/**
 * Stores the bid, for which an evaluation is due then; the same agent's live bid for the same pickup and drop-off ends. The
 * caller holds the package's lock.
 *
 * @throws RelayError `signed_before` when an unsigned bid would replace a signed one, `too_many_bids`
 */
export async function storeBid(trx: Trx, bid: NewBid): Promise<BidRow> {
  const { same, others } = await findRivals(trx, bid);
  if (same?.isStanding && same.signed && !bid.signed) {
    throw RelayError.field(
      'signed_before',
      'agentPubkey',
      `has a signed bid (${same.id}) for these places, which an unsigned one does not replace; sign the request`,
    );
  }
  if (same) await endBid(trx, same.id, 'replaced');
  requireRoom(bid, others);
  if (bid.signed) await noteSigningKey(trx, bid.agent_pubkey);
  return insertBid(trx, bid);
}
