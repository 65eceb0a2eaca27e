import { z } from 'zod';
import { SWARM_STATUSES } from '../statuses.js';
import { inAsset, units } from '../amounts.js';
import { address, lamports, place, timestamp, uuid } from '../schemas.js';

/** A bid as the choice saw it. */
const consideredBid = z.strictObject({
  id: uuid,
  agentPubkey: address,
  pickup: place,
  dropoff: place,
  distanceKm: z.number(),
  estimatedDurationMin: z.number().meta({ description: "the agent's own estimate: it counted for nothing" }),
  cost: units,
  costLamports: lamports.nullable(),
  rho: z.int().min(0).max(100).meta({ description: 'percent that its agent counted for then' }),
  expiresAt: timestamp,
});

/** The choice of a chain: its candidates, its rule and its outcome, enough to choose it again. */
export const decision = z.strictObject({
  packageId: uuid,
  swarmId: uuid,
  swarmStatus: z.enum(SWARM_STATUSES),
  decidedAt: timestamp.meta({ description: 'the instant from which minutes were counted' }),
  exact: z.boolean().meta({ description: 'false: the search ran out of time and this is the best chain it had found' }),
  origin: place,
  destination: place,
  ...inAsset,
  budget: units,
  budgetLamports: lamports.nullable(),
  deadline: timestamp,
  shipperPubkey: address.meta({ description: 'its own bids would not count' }),
  considered: z
    .array(consideredBid)
    .nullable()
    .meta({ description: 'every bid that it was chosen of; null: chosen by a version that did not keep that' }),
  chosen: z
    .array(z.strictObject({ bidId: uuid, payment: units, paymentLamports: lamports.nullable() }))
    .meta({ description: 'in carrying order' }),
  replacements: z
    .array(
      z.strictObject({
        legId: uuid.meta({ description: 'the leg that the courier got' }),
        formerLegId: uuid,
        legIndex: z.int().min(0),
        decidedAt: timestamp,
        bidId: uuid,
        payment: units,
        paymentLamports: lamports.nullable(),
        maxCost: units.meta({ description: 'the most that a bid could ask' }),
        maxCostLamports: lamports.nullable(),
        considered: z.array(consideredBid),
      }),
    )
    .default([])
    .meta({ description: 'couriers who took the place of others, in order' }),
});
