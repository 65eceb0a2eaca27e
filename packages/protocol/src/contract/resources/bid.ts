import { z } from 'zod';
import { address, lamports, latitude, longitude, solView, timestamp, uuid } from '../schemas.js';

/** What became of a bid. `chosen`: a leg was made of it. */
export const BID_STATUSES = ['live', 'chosen', 'expired', 'replaced', 'withdrawn', 'excluded'] as const;

/** A bid as others see it. */
export const bidView = z.strictObject({
  id: uuid,
  packageId: uuid,
  agentPubkey: address,
  pickupLat: latitude,
  pickupLng: longitude,
  dropoffLat: latitude,
  dropoffLng: longitude,
  distanceKm: z.number(),
  estimatedDurationMin: z.number().meta({ description: "the agent's own estimate" }),
  costSol: solView.nullable().meta({ description: 'SOL; null while the bidding window is open, but for your own' }),
  costLamports: lamports.nullable(),
  reasoning: z.string().nullable().meta({ description: 'null as costSol is, too' }),
  status: z.enum(BID_STATUSES),
  signed: z.boolean().meta({ description: "whether the agent's key signed it" }),
  expiresAt: timestamp,
  createdAt: timestamp,
});
export type Bid = z.output<typeof bidView>;
