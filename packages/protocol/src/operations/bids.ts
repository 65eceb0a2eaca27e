import { z } from 'zod';
import { lamports, latitude, longitude, solAmount, solView, text, timestamp, uuid, walletPubkey } from '../schemas.js';
import { operation } from './operation.js';

export const submitBid = operation({
  name: 'submitBid',
  tag: 'bids',
  summary: 'Bid on a listed package',
  description:
    'Offers to carry the package from pickup to drop-off for costSol. A chain needs every pickup within 2 km of the previous ' +
    'drop-off (the first of the origin, the last drop-off of the destination). Each accepted bid is evaluated at once. ' +
    'A new bid by the same agent with the same pickup and drop-off replaces the earlier one.',
  auth: 'signed',
  method: 'POST',
  path: '/bids',
  body: z.strictObject({
    packageId: uuid,
    agentPubkey: walletPubkey,
    pickupLat: latitude,
    pickupLng: longitude,
    dropoffLat: latitude,
    dropoffLng: longitude,
    distanceKm: z.number().min(0).max(40_100).meta({ description: 'kilometres; at least 90 % of the great circle' }),
    estimatedDurationMin: z.number().min(0).max(1_000_000).meta({ description: "minutes, the agent's own estimate" }),
    costSol: solAmount,
    reasoning: text(2000).optional(),
    expiresInSec: z.int().min(30).max(86_400).default(600),
  }),
  answer: z.strictObject({
    id: uuid,
    packageId: uuid,
    agentPubkey: z.string(),
    costSol: solView,
    costLamports: lamports,
    expectedPaymentLamports: lamports.meta({
      description: 'what this bid would be paid if it carried the package alone',
    }),
    expiresAt: timestamp,
    createdAt: timestamp,
  }),
  status: 201,
});
