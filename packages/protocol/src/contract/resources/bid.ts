import { z } from 'zod';
import { PACKAGE_STATUSES } from '../statuses.js';
import { inAsset, units } from '../amounts.js';
import { address, excerpt, lamports, latitude, longitude, solView, timestamp, uuid } from '../schemas.js';

/** The states of a bid. `chosen`: a leg was made of it. */
export const BID_STATUSES = ['live', 'chosen', 'expired', 'replaced', 'withdrawn', 'excluded'] as const;

/** A bid as others see it. */
export const bidView = z.strictObject({
  id: uuid,
  packageId: uuid,
  legId: uuid.nullable().default(null).meta({ description: 'the vacant leg that it is for; null: for the package' }),
  agentPubkey: address,
  pickupLat: latitude,
  pickupLng: longitude,
  dropoffLat: latitude,
  dropoffLng: longitude,
  distanceKm: z.number(),
  estimatedDurationMin: z.number().meta({ description: "the agent's own estimate" }),
  ...inAsset,
  cost: units
    .nullable()
    .meta({ description: 'base units of the asset; null while the bidding window is open, but for your own' }),
  costSol: solView.nullable(),
  costLamports: lamports.nullable(),
  reasoning: z.string().nullable().meta({ description: 'null as cost is, too' }),
  status: z.enum(BID_STATUSES),
  signed: z.boolean().meta({ description: "whether the agent's key signed it" }),
  expiresAt: timestamp,
  createdAt: timestamp,
});
export type Bid = z.output<typeof bidView>;

/** The fates of a bid, with the market's word: `lost` to another chain, or with a package that ended without one. */
export const BID_FATES = [...BID_STATUSES, 'lost'] as const;

/** Characters of a description that a list of bids shows. */
const DESCRIPTION_EXCERPT = 300;

/** A bid among its agent's, with what became of it. */
export const agentBid = bidView.omit({ status: true }).extend({
  fate: z.enum(BID_FATES).meta({
    description:
      'lost: it stood when another chain was chosen, or when the package ended without one; live: it can still be chosen',
  }),
  chosenAs: z
    .strictObject({
      swarmId: uuid,
      legId: uuid,
      legIndex: z.int().min(0),
      payment: units.meta({ description: 'what the leg pays' }),
      paymentLamports: lamports.nullable(),
    })
    .nullable()
    .meta({ description: 'the leg that was made of it; null unless chosen' }),
  lostTo: z
    .strictObject({
      swarmId: uuid,
      totalLegs: z.int().min(1),
      cost: units.meta({ description: 'what its bids ask together' }),
      costLamports: lamports.nullable(),
      total: units.meta({ description: 'what its legs pay together' }),
      totalLamports: lamports.nullable(),
    })
    .nullable()
    .meta({ description: 'the chain that was chosen instead; null unless lost, and if there was none' }),
  packageStatus: z.enum(PACKAGE_STATUSES).exclude(['draft']),
  packageDescription: excerpt(DESCRIPTION_EXCERPT),
});
export type AgentBid = z.output<typeof agentBid>;
