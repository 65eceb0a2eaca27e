import { z } from 'zod';
import { LEG_STATUSES, SWARM_STATUSES } from '../statuses.js';
import { inAsset, units } from '../amounts.js';
import {
  address,
  explorerLinks,
  finality,
  lamports,
  latitude,
  link,
  longitude,
  solView,
  timestamp,
  uuid,
} from '../schemas.js';
import { legTurn } from './legTurn.js';

/** The most legs a chain may have: what one transaction can form. Rule M-21. */
export const MAX_CHAIN_LEGS = 7;

/** A leg of a swarm. */
export const leg = z.strictObject({
  id: uuid,
  legIndex: z
    .int()
    .min(0)
    .max(MAX_CHAIN_LEGS - 1),
  agentPubkey: address,
  pickupLat: latitude,
  pickupLng: longitude,
  dropoffLat: latitude,
  dropoffLng: longitude,
  distanceKm: z.number(),
  estimatedDurationMin: z.int(),
  cost: units.meta({ description: 'what the courier bid' }),
  costLamports: lamports.nullable(),
  agreedPayment: units.meta({ description: 'what the leg pays; fixed when the swarm forms' }),
  agreedPaymentSol: solView.nullable(),
  agreedPaymentLamports: lamports.nullable(),
  status: z.enum(LEG_STATUSES),
  finality,
  onChainLeg: address,
  confirmSignature: z.string().nullable(),
  startedAt: timestamp
    .nullable()
    .meta({ description: 'when its turn came: the formation, then each handoff; null: not yet' }),
  completedAt: timestamp.nullable(),
  ...legTurn,
  paid: units
    .nullable()
    .default(null)
    .meta({ description: 'what it was paid; less than agreed after a ruling; null: not completed' }),
  paidLamports: lamports.nullable().default(null),
  explorer: explorerLinks({ onChainLeg: link, confirmSignature: link.nullable() }),
});
export type Leg = z.output<typeof leg>;

/** A chain of couriers that was chosen, with its legs in order. */
export const swarm = z.strictObject({
  id: uuid,
  packageId: uuid,
  status: z.enum(SWARM_STATUSES),
  finality,
  onChainSwarm: address,
  createdAt: timestamp.meta({ description: 'when the chain was chosen' }),
  formedAt: timestamp.nullable().meta({ description: 'when the ledger showed it' }),
  formSignature: z.string().nullable(),
  settleSignature: z.string().nullable(),
  totalLegs: z.int().min(1).max(MAX_CHAIN_LEGS),
  completedLegs: z.int().min(0).max(MAX_CHAIN_LEGS),
  ...inAsset,
  total: units,
  totalLamports: lamports.nullable(),
  exact: z.boolean().meta({ description: 'false: the search ran out of time and this is the best chain it had found' }),
  legs: z.array(leg),
  explorer: explorerLinks({
    onChainSwarm: link,
    formSignature: link.nullable(),
    settleSignature: link.nullable(),
  }),
});
export type Swarm = z.output<typeof swarm>;

/** A swarm as the list of tools describes it: how it stands, and of the turns of its legs, whose each is. */
export const swarmInShort = swarm
  .omit({ asset: true, decimals: true, createdAt: true, formedAt: true, exact: true })
  .extend({
    legs: z.array(
      leg.omit({
        formation: true,
        since: true,
        disputerPubkey: true,
        evidenceHash: true,
        reasonHash: true,
        percent: true,
        forfeited: true,
        forfeitedLamports: true,
      }),
    ),
  });
