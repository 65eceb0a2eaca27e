import { z } from 'zod';
import { assetName, units } from './amounts.js';
import { address, lamports, place, placeText, radiusKm, timestamp, uuid, wholeNumber } from './schemas.js';
import { FAILURE_REASONS, RELEASE_REASONS } from './statuses.js';

const legOf = { packageId: uuid, swarmId: uuid, legId: uuid, legIndex: z.int(), agentPubkey: address };
const digitalLegOf = { taskId: uuid, legId: uuid, legIndex: z.int(), agentPubkey: address };

/** Of a leg of a listing with terms. */
const termsLegOf = {
  kind: z.enum(['package', 'task']),
  packageId: uuid.optional().meta({ description: 'of the package; left out where taskId is given' }),
  swarmId: uuid.optional().meta({ description: 'goes with packageId' }),
  taskId: uuid.optional().meta({ description: 'of the digital task; left out where packageId is given' }),
  legId: uuid,
  legIndex: z.int(),
  agentPubkey: address,
  signature: z.string(),
};
/**
 * An amount of a listing in an event, as lamports of a listing in SOL and null of others, and in base units of its asset; what was
 * told before there were tokens has lamports alone.
 */
const amounts = {
  maxBudget: { maxBudgetLamports: lamports.nullable(), maxBudget: units.optional() },
  cost: { costLamports: lamports.nullable(), cost: units.optional() },
  total: { totalLamports: lamports.nullable(), total: units.optional() },
  agreedPayment: { agreedPaymentLamports: lamports.nullable(), agreedPayment: units.optional() },
  payment: { paymentLamports: lamports.nullable(), payment: units.optional() },
  refund: { refundLamports: lamports.nullable(), refund: units.optional() },
  stake: { stakeLamports: lamports.nullable(), stake: units.optional() },
  forfeited: {
    forfeitedLamports: lamports.nullable().meta({ description: 'of its stake; 0: it left in time' }),
    forfeited: units.optional(),
  },
  maxCost: {
    maxCostLamports: lamports.nullable().meta({ description: 'the most that a bid for it may ask' }),
    maxCost: units.optional(),
  },
};
const asset = assetName.optional().meta({ description: 'what the listing pays in; left out: SOL' });

const until = timestamp.meta({ description: 'when silence decides' });
const hash = z.string().meta({ description: 'sha256, hex' });

/** The payload of each event, in addition to type, seq and occurredAt. */
export const eventPayloads = {
  PACKAGE_LISTED: z.strictObject({
    packageId: uuid,
    shipperPubkey: address,
    origin: place,
    destination: place,
    asset,
    ...amounts.maxBudget,
    deadline: timestamp,
    onChainPackage: address,
    listSignature: z.string(),
  }),
  BID_STORED: z.strictObject({
    packageId: uuid,
    bidId: uuid,
    agentPubkey: address,
    asset,
    costLamports: lamports
      .nullable()
      .optional()
      .meta({ description: 'left out while the bidding window of the package is open' }),
    cost: units.optional(),
  }),
  BID_WITHDRAWN: z.strictObject({ packageId: uuid, bidId: uuid, agentPubkey: address }),
  SWARM_FORMED: z.strictObject({
    packageId: uuid,
    swarmId: uuid,
    onChainSwarm: address,
    formSignature: z.string(),
    totalLegs: z.int(),
    asset,
    ...amounts.total,
  }),
  BID_RECEIVED: z.strictObject({ ...legOf, asset, ...amounts.cost, ...amounts.agreedPayment }),
  LEG_CONFIRMED: z.strictObject({ ...legOf, asset, ...amounts.payment, signature: z.string() }),
  PACKAGE_DELIVERED: z.strictObject({ packageId: uuid, settleSignature: z.string(), asset, ...amounts.refund }),
  PACKAGE_FAILED: z.strictObject({ packageId: uuid, failureReason: z.enum(FAILURE_REASONS) }),
  TASK_LISTED: z.strictObject({
    taskId: uuid,
    shipperPubkey: address,
    title: z.string(),
    numLegs: z.int(),
    asset,
    ...amounts.maxBudget,
    deadline: timestamp,
    onChainTask: address,
    listSignature: z.string(),
  }),
  TASK_LEG_CLAIMED: z.strictObject({
    ...digitalLegOf,
    isWorkable: z.boolean().meta({ description: 'false: reserved until the legs before it are completed' }),
  }),
  TASK_LEG_ASSIGNED: z.strictObject({ ...digitalLegOf, dueAt: timestamp, signature: z.string() }),
  TASK_LEG_RELEASED: z.strictObject({
    ...digitalLegOf,
    reason: z.enum(RELEASE_REASONS),
    signature: z.string().optional().meta({ description: 'left out when it was never assigned on-chain' }),
  }),
  TASK_LEG_COMPLETED: z.strictObject({
    ...digitalLegOf,
    asset,
    ...amounts.payment,
    resultHash: z.string(),
    signature: z.string(),
  }),
  TASK_COMPLETED: z.strictObject({ taskId: uuid, settleSignature: z.string(), asset, ...amounts.refund }),
  TASK_FAILED: z.strictObject({ taskId: uuid, failureReason: z.enum(FAILURE_REASONS) }),
  LEG_ACCEPTED: z.strictObject({ ...termsLegOf, asset, ...amounts.stake }),
  LEG_CARRIED: z.strictObject({ ...termsLegOf, until }),
  LEG_VACATED: z.strictObject({
    ...termsLegOf,
    asset,
    ...amounts.forfeited,
  }),
  LEG_OPENED: z.strictObject({
    kind: z.literal('package'),
    packageId: uuid,
    swarmId: uuid,
    legId: uuid,
    legIndex: z.int(),
    pickup: place,
    dropoff: place,
    asset,
    ...amounts.maxCost,
    closesAt: timestamp.meta({ description: 'when its bids are evaluated first' }),
  }),
  LEG_REPLACED: z.strictObject({
    kind: z.literal('package'),
    ...legOf,
    signature: z.string(),
    formerLegId: uuid,
    formerAgentPubkey: address,
    asset,
    ...amounts.agreedPayment,
  }),
  LEG_CLAIMED: z.strictObject({ ...termsLegOf, evidenceHash: hash, until }),
  LEG_DISPUTED: z.strictObject({ ...termsLegOf, disputerPubkey: address, reasonHash: hash, until }),
  LEG_RULED: z.strictObject({
    ...termsLegOf,
    by: z.enum(['arbiter', 'silence', 'agreement']),
    percent: z.int().min(0).max(100).meta({ description: 'of its payment; 0: the leg is open again' }),
  }),
  LEDGER_REVERTED: z.strictObject({
    packageId: uuid.optional().meta({ description: 'of the package; left out where taskId is given' }),
    taskId: uuid.optional().meta({ description: 'of the digital task; left out where packageId is given' }),
    instruction: z.string().meta({ description: "name of the program's instruction, such as confirm_leg" }),
    signature: z.string().meta({ description: 'of the transaction that the ledger no longer shows' }),
  }),
  LEDGER_HEALED: z.strictObject({
    packageId: uuid.optional().meta({ description: 'of the package; left out where taskId is given' }),
    taskId: uuid.optional().meta({ description: 'of the digital task; left out where packageId is given' }),
    changes: z
      .array(
        z.strictObject({
          legIndex: z.int().min(0).nullable().meta({ description: 'null: the package or the digital task itself' }),
          was: z.string().meta({ description: 'the status, with terms the stage, that was told before' }),
          is: z.string().meta({ description: 'the one that the ledger has' }),
        }),
      )
      .meta({ description: 'what is not as it was told before' }),
  }),
} as const;

/** Follows the frames, so that an event without one cannot be appended. */
export type EventType = LegworkEvent['type'];
export const EVENT_TYPES = Object.keys(eventPayloads) as EventType[];

const ANY_TYPE = `(?:${EVENT_TYPES.join('|')})`;
const isEventType = (text: string): text is EventType => EVENT_TYPES.some((type) => type === text);

/** Types of events in a query, joined by commas. */
export const topicsText = z
  .string()
  .refine((value) => value.split(',').every(isEventType), {
    message: `must be event types joined by commas: ${EVENT_TYPES.join(', ')}`,
  })
  .meta({
    pattern: `^${ANY_TYPE}(?:,${ANY_TYPE})*$`,
    description: 'types of events, joined by commas',
    examples: ['PACKAGE_LISTED,PACKAGE_DELIVERED'],
  });

/** Reads what {@link topicsText} let through; each type once. */
export function parseTopics(value: string): EventType[] {
  return [...new Set(value.split(',').filter(isEventType))];
}

/** The fields with which a subscriber says which events it wants: of `/ws`, `GET /events` and webhooks alike. Rule S-180. */
export const eventFilterFields = {
  package: uuid.optional().meta({ description: 'only what is about this package' }),
  task: uuid.optional().meta({ description: 'only what is about this digital task' }),
  agent: address.optional().meta({
    description: 'only listings that this key posted, bid on or worked on, from the first event on that names it',
  }),
  near: placeText.optional().meta({
    description: 'only packages that start or end near this latitude,longitude, and legs of them that are open near it',
  }),
  radiusKm: radiusKm.optional().meta({ description: 'kilometres around near; 25 if left out' }),
  topics: topicsText.optional(),
};

type FilterFields = { [Field in keyof typeof eventFilterFields]?: unknown };

/** Refuses fields that do not go together, in any schema that has {@link eventFilterFields}. */
export function checkEventFilter(given: FilterFields, context: z.core.$RefinementCtx): void {
  const refuse = (path: keyof FilterFields, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  const { package: packageId, task, near, radiusKm: radius } = given;
  if (packageId !== undefined && task !== undefined)
    refuse('task', 'cannot be given with package: an event is about one of them');
  if (near !== undefined && task !== undefined)
    refuse('near', 'cannot be given with task: a digital task has no place');
  if (radius !== undefined && near === undefined)
    refuse('radiusKm', 'is for use with near: give near=latitude,longitude too');
}

/** The number of the last event that a subscriber has seen. */
export const sinceSeq = wholeNumber(
  z.int('must be the seq of an event, an integer from 0 (0 replays everything)').min(0),
).meta({ description: 'seq of the last event seen; 0: of none' });

/** The query of a connection to the stream of events. */
export const eventStreamQuery = z
  .strictObject({ since: sinceSeq.optional(), ...eventFilterFields })
  .superRefine(checkEventFilter);

/** An event's payload in code: bigint lamports, Date instants. */
export type EventPayload<T extends EventType> = z.output<(typeof eventPayloads)[T]>;

const head = { seq: z.int(), occurredAt: timestamp };

/** A frame of `/ws`. `seq` grows by commit order; give the last one seen as `since` to go on without gap or duplicate. */
export const eventFrame = z.discriminatedUnion('type', [
  eventPayloads.PACKAGE_LISTED.extend({ type: z.literal('PACKAGE_LISTED'), ...head }),
  eventPayloads.BID_STORED.extend({ type: z.literal('BID_STORED'), ...head }),
  eventPayloads.BID_WITHDRAWN.extend({ type: z.literal('BID_WITHDRAWN'), ...head }),
  eventPayloads.SWARM_FORMED.extend({ type: z.literal('SWARM_FORMED'), ...head }),
  eventPayloads.BID_RECEIVED.extend({ type: z.literal('BID_RECEIVED'), ...head }),
  eventPayloads.LEG_CONFIRMED.extend({ type: z.literal('LEG_CONFIRMED'), ...head }),
  eventPayloads.PACKAGE_DELIVERED.extend({ type: z.literal('PACKAGE_DELIVERED'), ...head }),
  eventPayloads.PACKAGE_FAILED.extend({ type: z.literal('PACKAGE_FAILED'), ...head }),
  eventPayloads.TASK_LISTED.extend({ type: z.literal('TASK_LISTED'), ...head }),
  eventPayloads.TASK_LEG_CLAIMED.extend({ type: z.literal('TASK_LEG_CLAIMED'), ...head }),
  eventPayloads.TASK_LEG_ASSIGNED.extend({ type: z.literal('TASK_LEG_ASSIGNED'), ...head }),
  eventPayloads.TASK_LEG_RELEASED.extend({ type: z.literal('TASK_LEG_RELEASED'), ...head }),
  eventPayloads.TASK_LEG_COMPLETED.extend({ type: z.literal('TASK_LEG_COMPLETED'), ...head }),
  eventPayloads.TASK_COMPLETED.extend({ type: z.literal('TASK_COMPLETED'), ...head }),
  eventPayloads.TASK_FAILED.extend({ type: z.literal('TASK_FAILED'), ...head }),
  eventPayloads.LEG_ACCEPTED.extend({ type: z.literal('LEG_ACCEPTED'), ...head }),
  eventPayloads.LEG_CARRIED.extend({ type: z.literal('LEG_CARRIED'), ...head }),
  eventPayloads.LEG_VACATED.extend({ type: z.literal('LEG_VACATED'), ...head }),
  eventPayloads.LEG_OPENED.extend({ type: z.literal('LEG_OPENED'), ...head }),
  eventPayloads.LEG_REPLACED.extend({ type: z.literal('LEG_REPLACED'), ...head }),
  eventPayloads.LEG_CLAIMED.extend({ type: z.literal('LEG_CLAIMED'), ...head }),
  eventPayloads.LEG_DISPUTED.extend({ type: z.literal('LEG_DISPUTED'), ...head }),
  eventPayloads.LEG_RULED.extend({ type: z.literal('LEG_RULED'), ...head }),
  eventPayloads.LEDGER_REVERTED.extend({ type: z.literal('LEDGER_REVERTED'), ...head }),
  eventPayloads.LEDGER_HEALED.extend({ type: z.literal('LEDGER_HEALED'), ...head }),
]);

export type LegworkEvent = z.output<typeof eventFrame>;
