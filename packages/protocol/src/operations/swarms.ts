import { z } from 'zod';
import { LEG_STATUSES, SWARM_STATUSES } from '../statuses.js';
import {
  address,
  lamports,
  latitude,
  longitude,
  solView,
  timestamp,
  transactionBase64,
  transactionSignature,
  uuid,
} from '../schemas.js';
import { operation } from './operation.js';

export const leg = z.strictObject({
  id: uuid,
  legIndex: z.int().min(0).max(6),
  agentPubkey: address,
  pickupLat: latitude,
  pickupLng: longitude,
  dropoffLat: latitude,
  dropoffLng: longitude,
  distanceKm: z.number(),
  estimatedDurationMin: z.int(),
  costLamports: lamports.meta({ description: 'what the courier bid' }),
  agreedPaymentSol: solView,
  agreedPaymentLamports: lamports.meta({ description: 'what the leg pays; fixed when the swarm forms' }),
  status: z.enum(LEG_STATUSES),
  onChainLeg: address,
  confirmSignature: z.string().nullable(),
  completedAt: timestamp.nullable(),
});

export const swarm = z.strictObject({
  id: uuid,
  packageId: uuid,
  status: z.enum(SWARM_STATUSES),
  onChainSwarm: address,
  formSignature: z.string().nullable(),
  settleSignature: z.string().nullable(),
  totalLegs: z.int().min(1).max(7),
  completedLegs: z.int().min(0).max(7),
  totalLamports: lamports,
  exact: z.boolean().meta({ description: 'false: the search ran out of time and this is the best chain it had found' }),
  legs: z.array(leg),
});

const legParams = z.strictObject({ legId: uuid });

export const buildConfirmTx = operation({
  name: 'buildConfirmTx',
  tag: 'swarms',
  summary: 'Build the transaction that confirms a leg',
  description:
    'Answers the unsigned confirm_leg transaction and who has to sign it: the courier of the next leg, who takes the package ' +
    'over, or for the last leg the shipper. Sign and send it, then call confirmLeg with its signature.',
  method: 'POST',
  path: '/swarms/legs/:legId/build-confirm-tx',
  params: legParams,
  answer: z.strictObject({
    legId: uuid,
    legIndex: z.int(),
    isFinal: z.boolean(),
    recipientPubkey: address,
    transaction: transactionBase64.meta({ description: 'unsigned, base64; the recipient pays the fee' }),
    blockhash: z.string(),
    lastValidBlockHeight: z.int(),
  }),
});

export const confirmLeg = operation({
  name: 'confirmLeg',
  tag: 'swarms',
  summary: 'Record a confirmed leg',
  description:
    'Give the signature of the confirmed confirm_leg transaction. The leg becomes completed; after the last one the coordinator ' +
    'settles and the surplus returns to whoever funded the package. Safe to repeat with the same signature.',
  auth: 'signed',
  method: 'POST',
  path: '/swarms/legs/:legId/confirm',
  params: legParams,
  body: z.strictObject({ signature: transactionSignature }),
  answer: z.strictObject({
    legId: uuid,
    status: z.enum(LEG_STATUSES),
    swarmStatus: z.enum(SWARM_STATUSES),
    settleSignature: z.string().nullable(),
  }),
});
