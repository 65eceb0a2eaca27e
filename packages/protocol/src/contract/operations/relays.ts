import { z } from 'zod';
import { listedPackageStatus } from '../resources/package.js';
import { leg, MAX_CHAIN_LEGS } from '../resources/swarm.js';
import { address, boxText, excerpt, itemLimit, lamports, latitude, longitude, timestamp, uuid } from '../schemas.js';
import { operation } from './operation.js';

/** Characters of a description that a map shows. */
export const RELAY_EXCERPT_CHARACTERS = 80;

const legCount = z.int().min(0).max(MAX_CHAIN_LEGS);

/** A package as a map shows it. */
const relay = z.strictObject({
  id: uuid,
  status: listedPackageStatus,
  description: excerpt(RELAY_EXCERPT_CHARACTERS).meta({ description: 'its first 80 characters' }),
  originLat: latitude,
  originLng: longitude,
  destLat: latitude,
  destLng: longitude,
  legs: z
    .array(
      leg.pick({
        agentPubkey: true,
        pickupLat: true,
        pickupLng: true,
        dropoffLat: true,
        dropoffLng: true,
        status: true,
        completedAt: true,
      }),
    )
    .meta({ description: 'of its swarm, in carrying order; empty without one' }),
  completedLegs: legCount,
  totalLegs: legCount,
  holder: address.nullable().meta({ description: 'the courier that has the parcel; null unless it is in transit' }),
  legStartedAt: timestamp
    .nullable()
    .meta({ description: 'when the holder got it: the last handoff, or the formation; null without a holder' }),
  estimatedDurationMin: z.int().nullable().meta({ description: "of the holder's leg, minutes; null without a holder" }),
  paidLamports: lamports.meta({ description: 'what completed legs paid' }),
  totalLamports: lamports.nullable().meta({ description: 'what all legs pay; null without a swarm' }),
  maxBudgetLamports: lamports,
  listedAt: timestamp,
});
export type Relay = z.output<typeof relay>;

export const listRelays = operation({
  name: 'listRelays',
  tag: 'packages',
  summary: 'List packages as a map shows them, newest first',
  description:
    'One compact row a package: where it starts and ends, the legs of its swarm, who has it and since when. Nobody reports ' +
    'positions: legStartedAt and estimatedDurationMin are all there is to estimate one. Without status: what is listed, forming ' +
    'or in transit, and what was delivered in the last hour. bbox keeps packages that start or end in the area.',
  method: 'GET',
  path: '/relays',
  query: z.strictObject({
    status: listedPackageStatus.optional(),
    bbox: boxText.optional(),
    limit: itemLimit(1000, 500),
  }),
  answer: z.array(relay),
  kept: true,
});
