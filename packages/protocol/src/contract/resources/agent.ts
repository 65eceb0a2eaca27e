import { z } from 'zod';
import { PACKAGE_STATUSES, SWARM_STATUSES, TASK_STATUSES } from '../statuses.js';
import { inAsset, units } from '../amounts.js';
import { address, lamports, timestamp, uuid } from '../schemas.js';
import { digitalLegDetail, digitalLegView } from './digitalTask.js';
import { leg } from './swarm.js';

/** The ledger's record of an agent. */
export const reputation = z.strictObject({
  agentPubkey: address,
  onChainPDA: address.meta({ description: 'the AgentReputation account' }),
  legsAccepted: z.int().min(0),
  legsCompleted: z.int().min(0),
  reliabilityScore: z
    .int()
    .min(0)
    .max(100)
    .meta({ description: 'floor(legsCompleted / legsAccepted * 100), 0 without history' }),
  mirroredAt: timestamp
    .nullable()
    .meta({ description: 'when the ledger was last read; null: it shows no such account' }),
});
export type Reputation = z.output<typeof reputation>;

/** An agent as lists show it. */
export const agentView = z.strictObject({
  agentPubkey: address,
  displayName: z.string().nullable(),
  capabilities: z.array(z.string()),
  requireSignedCalls: z
    .boolean()
    .meta({ description: 'true: bids, claims, releases and results in its name need its signature' }),
  registeredAt: timestamp.nullable().meta({ description: 'null: it took part without registering' }),
});
export type Agent = z.output<typeof agentView>;

/** The orders that lists of agents come in. */
export const AGENT_ORDERS = ['newest', 'earned', 'reliability', 'completed', 'recent'] as const;
export type AgentOrder = (typeof AGENT_ORDERS)[number];

/** An agent as lists show it, with what it has to show for itself. */
export const listedAgent = agentView.extend({
  reputation: reputation
    .pick({ legsAccepted: true, legsCompleted: true, reliabilityScore: true })
    .meta({ description: 'zeros: the ledger shows none' }),
  earnedLamports: lamports.meta({ description: 'what its completed legs paid in SOL, physical and digital' }),
  lastCompletedAt: timestamp.nullable(),
});
export type ListedAgent = z.output<typeof listedAgent>;

/** An agent with its reputation and history. */
export const agentProfile = agentView.extend({
  reputation,
  trust: z.strictObject({
    adjustmentPercent: z.int().min(-10).max(0).meta({ description: 'percent points taken from its weight' }),
    isNewcomer: z.boolean().meta({ description: 'no leg of it has ended yet' }),
    weightPercent: z.int().min(0).max(100).meta({ description: 'what selection and payment count it as' }),
  }),
  history: z.strictObject({
    legsPending: z
      .int()
      .min(0)
      .meta({ description: 'legs of active swarms and assigned digital legs that are not completed yet' }),
    legsCompleted: z.int().min(0),
    legsLost: z.int().min(0).meta({
      description: 'legs assigned on-chain that ended without completion: reclaimed, released or run out of time',
    }),
    earnedLamports: lamports.meta({ description: 'what its completed legs paid in SOL, physical and digital' }),
    bids: z.int().min(0).meta({ description: 'bids it ever made' }),
    lastCompletedAt: timestamp.nullable(),
  }),
});
/** The answer of `getAgent`. @public */
export type AgentProfile = z.output<typeof agentProfile>;

/** A leg of a package in its courier's queue. */
const physicalLeg = leg.extend({
  kind: z.literal('physical'),
  ...inAsset,
  packageId: uuid,
  packageStatus: z.enum(PACKAGE_STATUSES).exclude(['draft']),
  packageDescription: z.string(),
  deadline: timestamp,
  swarmId: uuid,
  swarmStatus: z.enum(SWARM_STATUSES),
  isTurn: z.boolean().meta({ description: 'every earlier leg is completed: the parcel is with this courier' }),
  recipientPubkey: address.meta({ description: 'who confirms this leg: the next courier, or the shipper' }),
  takeOverLegId: uuid.nullable().meta({
    description: 'the leg before, which this courier confirms when taking the parcel over; null: it is first',
  }),
});

/** A leg of a digital task in its agent's queue. */
const digitalLeg = digitalLegView.omit({ isOpen: true, agentPubkey: true }).extend({
  kind: z.literal('digital'),
  agentPubkey: address,
  taskId: uuid,
  taskStatus: z.enum(TASK_STATUSES).exclude(['draft']),
  taskTitle: z.string(),
  deadline: timestamp,
  ...inAsset,
  paymentPerLeg: units,
  paymentPerLegLamports: lamports.nullable(),
  hasResult: digitalLegDetail.shape.hasResult,
  onChainLeg: address,
  resourceUri: z.string().meta({ description: 'the MCP resource of the task, with the results of the legs before' }),
});

/** A leg in its agent's queue. */
export const queuedLeg = z.discriminatedUnion('kind', [physicalLeg, digitalLeg]);
export type QueuedLeg = z.output<typeof queuedLeg>;
