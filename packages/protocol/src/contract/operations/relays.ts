import { z } from 'zod';
import { listedPackageStatus } from '../resources/package.js';
import { boxText, excerpt, itemLimit, lamports, latitude, timestamp, uuid } from '../schemas.js';
import { LEG_STAGES, LEG_STATUSES } from '../statuses.js';
import { operation } from './operation.js';

/** Characters of a description that a map shows. */
export const RELAY_EXCERPT_CHARACTERS = 80;

/**
 * Plainer than elsewhere: these rows come by the thousand, and to check again what was checked when it was stored would
 * nearly double the time to write them.
 */
const degrees = z.number().meta({ description: latitude.description });
const agentPubkey = z.string().meta({ description: 'address of a courier, base58' });
const legCount = z.int();

/** A package as a map shows it. */
const relay = z.strictObject({
  id: uuid,
  status: listedPackageStatus,
  description: excerpt(RELAY_EXCERPT_CHARACTERS).meta({ description: 'its first 80 characters' }),
  originLat: degrees,
  originLng: degrees,
  destLat: degrees,
  destLng: degrees,
  legs: z
    .array(
      z.strictObject({
        agentPubkey,
        pickupLat: degrees,
        pickupLng: degrees,
        dropoffLat: degrees,
        dropoffLng: degrees,
        status: z.enum(LEG_STATUSES),
        stage: z.enum(LEG_STAGES).nullable().default(null).meta({ description: 'by its terms; null without any' }),
        completedAt: timestamp.nullable(),
      }),
    )
    .meta({ description: 'of its swarm, in carrying order; empty without one' }),
  completedLegs: legCount,
  totalLegs: legCount,
  holder: agentPubkey.nullable().meta({ description: 'the courier that has the parcel; null unless it is in transit' }),
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
  shared: true,
});
