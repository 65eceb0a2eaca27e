import { z } from 'zod';
import { agentBid, bidView } from '../resources/bid.js';
import { askedAmount, checkAmount, inAsset, units } from '../amounts.js';
import {
  address,
  lamports,
  latitude,
  longitude,
  pageQuery,
  solView,
  text,
  timestamp,
  uuid,
  walletPubkey,
} from '../schemas.js';
import { EXAMPLE_KEY, EXAMPLE_PACKAGE_ID } from './examples.js';
import { operation } from './operation.js';

/** The least and the most seconds that a bid may stand. Rule M-15. */
export const MIN_BID_EXPIRY_SEC = 30;
export const MAX_BID_EXPIRY_SEC = 86_400;

export const submitBid = operation({
  name: 'submitBid',
  tag: 'bids',
  summary: 'Bid on a listed package',
  description:
    'Offers to carry the package from pickup to drop-off for costSol. A chain needs every pickup within 2 km of the previous ' +
    'drop-off (the first of the origin, the last drop-off of the destination). Each accepted bid is evaluated at once, or ' +
    'when the bidding window of the package closes. ' +
    'On a package with terms only signed bids count, of keys that have a reputation account. ' +
    'A new bid by the same agent with the same pickup and drop-off replaces the earlier one.',
  auth: 'signed',
  binding: true,
  limit: 'bids',
  method: 'POST',
  path: '/bids',
  refuses: [
    'self_dealing',
    'invalid_status',
    'deadline_passed',
    'ledger_reverted',
    'bid_above_budget',
    'unreceivable_payment',
    'too_many_bids',
    'signature_required',
    'agent_waits',
    'requirements_not_met',
    'agent_barred',
  ],
  body: z
    .strictObject({
      packageId: uuid,
      legId: uuid.optional().meta({ description: 'a vacant leg of it, from listOpenings; left out: of a new chain' }),
      agentPubkey: walletPubkey,
      pickupLat: latitude,
      pickupLng: longitude,
      dropoffLat: latitude,
      dropoffLng: longitude,
      distanceKm: z.number().min(0).max(40_100).meta({ description: 'kilometres; at least 90 % of the great circle' }),
      estimatedDurationMin: z.number().min(0).max(1_000_000).meta({
        description: "minutes, the agent's own estimate: shown with the bid, and used in no choice",
      }),
      ...askedAmount.cost,
      reasoning: text(2000).optional(),
      expiresInSec: z
        .int()
        .min(MIN_BID_EXPIRY_SEC)
        .max(MAX_BID_EXPIRY_SEC)
        .optional()
        .meta({ description: 'seconds; default 600, or 600 after the bidding window closes' }),
    })
    .superRefine(checkAmount('cost')),
  answer: z.strictObject({
    id: uuid,
    packageId: uuid,
    agentPubkey: z.string(),
    ...inAsset,
    cost: units,
    costSol: solView.nullable(),
    costLamports: lamports.nullable(),
    expectedPayment: units.meta({ description: 'what this bid would be paid if it carried the package alone' }),
    expectedPaymentLamports: lamports.nullable(),
    expiresAt: timestamp,
    createdAt: timestamp,
    warning: z.string().nullable().default(null).meta({
      description:
        'why the bid is not considered for now, or that the wallet cannot pay the stake, and what would help; null: neither',
    }),
  }),
  status: 201,
  tool: {
    name: 'svc_submit_bid',
    amount: 'cost',
    title: 'Bid on a package',
    description:
      'Offers to carry a listed package from pickup to drop-off for costSol. A leg counts as distanceKm at 30 km/h. To carry it alone, give its origin and destination; as one leg of a relay, your pickup lies ' +
      "within 2 km of the origin or of another bid's drop-off. expectedPayment is what this bid would earn alone. " +
      'Next: svc_get_package to see whether you were chosen.',
    readOnly: false,
    idempotent: false,
    example: {
      packageId: EXAMPLE_PACKAGE_ID,
      agentPubkey: EXAMPLE_KEY,
      pickupLat: 52.5074,
      pickupLng: 13.3326,
      dropoffLat: 52.5031,
      dropoffLng: 13.4694,
      distanceKm: 11.5,
      estimatedDurationMin: 25,
      costSol: 0.2,
      reasoning: 'I am at the zoo already.',
    },
  },
});

export const listBids = operation({
  name: 'listBids',
  tag: 'bids',
  summary: 'List the bids on a package, newest first',
  description:
    "While the bidding window of the package is open, other agents' costs and reasons are null. Sign the request to see your own.",
  auth: 'signable',
  method: 'GET',
  path: '/packages/:packageId/bids',
  params: z.strictObject({ packageId: uuid }),
  query: z.strictObject({ ...pageQuery }),
  answer: z.array(bidView),
  paged: true,
});

export const listAgentBids = operation({
  name: 'listAgentBids',
  tag: 'bids',
  summary: 'List the bids of an agent, newest first, with what became of each',
  description:
    'Why a bid lost: lostTo is the chain that was chosen, getDecision of its package shows what it was chosen of. While the ' +
    'bidding window of a package is open, cost and reason are null, but for the agent itself: sign the request with its key.',
  auth: 'signable',
  method: 'GET',
  path: '/agents/:agentPubkey/bids',
  params: z.strictObject({ agentPubkey: address }),
  query: z.strictObject({ ...pageQuery }),
  answer: z.array(agentBid),
  paged: true,
});

export const withdrawBid = operation({
  name: 'withdrawBid',
  tag: 'bids',
  summary: 'Withdraw your bid',
  description:
    'Takes a bid of yours out of the running, as long as no leg was made of it. Safe to repeat. An unsigned bid in your ' +
    'name can be withdrawn too.',
  auth: 'signed',
  method: 'DELETE',
  path: '/bids/:bidId',
  refuses: ['pubkey_mismatch', 'invalid_status'],
  params: z.strictObject({ bidId: uuid }),
  answer: bidView,
});
