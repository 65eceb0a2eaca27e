import { z } from 'zod';
import { inAsset, units } from '../amounts.js';
import {
  address,
  itemLimit,
  latitude,
  longitude,
  lamports,
  pageQuery,
  place,
  proof,
  sha256Hex,
  visibleText,
  timestamp,
  transactionBase64,
  uuid,
} from '../schemas.js';
import { LEG_ACTORS } from '../resources/legTurn.js';
import { LEG_STAGES } from '../statuses.js';
import { EXAMPLE_KEY, EXAMPLE_SIGNATURE } from './examples.js';
import { operation, RESULT_BODY_LIMIT_BYTES } from './operation.js';

const EXAMPLE_LEG_ID = '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b12';
const legParams = z.strictObject({ legId: uuid });

/**
 * The moves that a key can make on a leg with terms. `confirm`: take it over, or receive it; `agree`:
 * lister and worker rule it together; `crank`: carry out what silence has decided. Rule T-62.
 */
export const TURN_ACTIONS = [
  'accept',
  'take',
  'vacate',
  'claim',
  'confirm',
  'dispute',
  'rule',
  'agree',
  'crank',
] as const;
export type MoveAction = (typeof TURN_ACTIONS)[number];

const possibleMove = z.strictObject({
  action: z.enum(TURN_ACTIONS),
  when: z.string().nullable().meta({ description: 'what has to be true before the move is right; null: nothing' }),
  does: z.string().meta({ description: 'what it does, to whom, and how much, in words' }),
  isFinal: z.boolean().meta({ description: "pays somebody, or takes somebody's stake, at once: nothing undoes it" }),
  pays: units.nullable().meta({ description: 'what the leg is paid at once; null: nothing' }),
  paysLamports: lamports.nullable(),
  stakes: units.nullable().meta({ description: 'the stake that this key posts with it; null: none' }),
  stakesLamports: lamports.nullable(),
});

const turnOfLeg = {
  legId: uuid,
  legIndex: z.int().min(0),
  agentPubkey: address.meta({ description: 'who has the leg' }),
  stage: z.enum(LEG_STAGES),
  actions: z
    .array(z.enum(TURN_ACTIONS))
    .min(1)
    .meta({ description: 'what this key can do: first what is awaited of it, last what pays or forfeits at once' }),
  awaited: z
    .enum(TURN_ACTIONS)
    .nullable()
    .default(null)
    .meta({ description: 'what others wait for this key to do; null: nothing now' }),
  moves: z.array(possibleMove).default([]).meta({ description: 'what each of the actions does, in their order' }),
  actor: z.enum(LEG_ACTORS).default('anyone').meta({ description: 'whose clock runs until then' }),
  until: timestamp.nullable().meta({ description: 'when silence decides; null: it never does' }),
  silence: z.string().meta({ description: 'what it costs this key to do nothing until then, in words' }),
  ...inAsset,
  stake: units.meta({ description: 'the stake of each side' }),
  stakeLamports: lamports.nullable(),
  payment: units.meta({ description: 'what the leg pays' }),
  paymentLamports: lamports.nullable(),
};
const turn = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('package'), packageId: uuid, ...turnOfLeg }),
  z.strictObject({ kind: z.literal('task'), taskId: uuid, ...turnOfLeg }),
]);
export type LegTurnView = z.output<typeof turn>;
/** A turn of a leg of a package. */
export type PackageTurnView = Extract<LegTurnView, { kind: 'package' }>;

export const listTurns = operation({
  name: 'listTurns',
  tag: 'turns',
  summary: 'List the legs whose clock runs for a key',
  description:
    'Of packages and digital tasks with terms, the legs where this key is to act or can: what is awaited of it, what each move does, ' +
    'until when, and what silence costs this key. Make a move only when its `when` is true. A page is of so many packages and tasks, ' +
    'those of the key before those of others that name it receiver or arbiter: it may have fewer legs, or none, and more may follow. ' +
    'Of its legs those that end first come first. buildTurnTx builds the transaction of a move.',
  method: 'GET',
  path: '/turns',
  query: z.strictObject({ pubkey: address, ...pageQuery, limit: itemLimit(400, 400) }),
  answer: z.array(turn),
  paged: true,
});

/** The only input that lets a leg be confirmed, and paid, before anybody has the parcel. Rule T-97. */
export const evenBeforePickup = z
  .boolean()
  .default(false)
  .meta({ description: 'confirm: true builds it although nobody has picked the parcel up, and pays at once' });

export const buildTurnTx = operation({
  name: 'buildTurnTx',
  tag: 'turns',
  summary: 'Build the transaction of a move',
  description:
    'Answers the unsigned transaction with which pubkey makes a move of a leg with terms, and who has to sign it. Sign it, then ' +
    'call submitTurn with the signed transaction, or send it yourself: the service sees it on the ledger.',
  method: 'POST',
  path: '/turns/build-tx',
  refuses: ['invalid_status', 'not_your_turn', 'ledger_reverted'],
  body: z.strictObject({
    legId: uuid,
    action: z.enum(TURN_ACTIONS),
    pubkey: address.meta({ description: 'who makes the move' }),
    evenBeforePickup,
    payerPubkey: address.optional().meta({ description: 'pays the fee, and signs too; default pubkey' }),
    hash: sha256Hex.optional().meta({
      description: 'as putEvidence answers it. claim, dispute: required; rule: of your reason, if you give one',
    }),
    percent: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .meta({ description: 'rule and agree: what the worker gets of its payment; 0: the leg is open again' }),
  }),
  example: { legId: EXAMPLE_LEG_ID, action: 'accept', pubkey: EXAMPLE_KEY },
  answer: z.strictObject({
    legId: uuid,
    action: z.enum(TURN_ACTIONS),
    signers: z.array(address).min(1).meta({ description: 'all who have to sign; the first pays the fee' }),
    transaction: transactionBase64.meta({ description: 'unsigned, base64' }),
    blockhash: z.string(),
    lastValidBlockHeight: z.int(),
  }),
});

export const submitTurn = operation({
  name: 'submitTurn',
  tag: 'turns',
  summary: 'Hand in a signed move',
  description:
    'Takes the signed transaction of a move (and sends it) or the signature of one that was sent and is confirmed. The ledger ' +
    'decides whether the move was good; this records it. Safe to repeat.',
  method: 'POST',
  path: '/turns',
  refuses: ['wrong_transaction', 'transaction_failed', 'not_confirmed_on_chain', 'ledger_reverted'],
  body: proof.safeExtend({ legId: uuid }),
  example: { legId: EXAMPLE_LEG_ID, signature: EXAMPLE_SIGNATURE },
  answer: z.strictObject({
    legId: uuid,
    stage: z.enum(LEG_STAGES),
    until: timestamp.nullable(),
    signature: z.string(),
  }),
});

/** Bytes of UTF-8 that evidence may have. */
export const MAX_EVIDENCE_BYTES = 256 * 1024;

const utf8 = new TextEncoder();

const evidence = z.strictObject({
  hash: z.string().meta({ description: 'sha256 of its UTF-8 bytes, hex: what claims and disputes name' }),
  authorPubkey: address,
  text: z.string(),
  createdAt: timestamp,
});

export const putEvidence = operation({
  name: 'putEvidence',
  tag: 'turns',
  summary: 'Store evidence for a leg',
  description:
    'Stores what a claim, a dispute or an answer to one rests on: text, at most 256 KiB in UTF-8; photographs as data URLs. The ' +
    'hash is what the move names on the ledger. Of the courier of the leg, the next courier, shipper and receiver, of a task its ' +
    'agent, poster and receiver; everybody of them can read it, and the arbiter while the leg is disputed, who then stores its reason. Of a leg that is over ' +
    'only what its handoff notes, by who signed that. Safe to repeat.',
  auth: 'signed',
  method: 'POST',
  path: '/legs/:legId/evidence',
  refuses: ['not_your_turn', 'invalid_status'],
  bodyLimit: RESULT_BODY_LIMIT_BYTES,
  params: legParams,
  body: z.strictObject({
    text: visibleText(MAX_EVIDENCE_BYTES).refine(
      (value) => utf8.encode(value).length <= MAX_EVIDENCE_BYTES,
      'must have at most 256 KiB in UTF-8',
    ),
  }),
  example: { text: 'At the door of number 12, 14:05. Photograph: data:image/jpeg;base64,...' },
  answer: z.strictObject({ legId: uuid, hash: z.string() }),
  status: 201,
});

export const listEvidence = operation({
  name: 'listEvidence',
  tag: 'turns',
  summary: 'Read the evidence of a leg',
  description:
    'For its parties, and for the arbiter while the leg is disputed; the reason of a ruling for everybody: sign the request.',
  auth: 'signed',
  method: 'GET',
  path: '/legs/:legId/evidence',
  refuses: ['not_your_turn'],
  params: legParams,
  answer: z.array(evidence),
});

const opening = z.strictObject({
  legId: uuid,
  packageId: uuid,
  legIndex: z.int().min(0),
  pickup: place,
  dropoff: place,
  ...inAsset,
  maxCost: units.meta({ description: 'the most that a bid for it may ask: what is paid is the bid' }),
  maxCostLamports: lamports.nullable(),
  deadline: timestamp,
  closesAt: timestamp
    .nullable()
    .meta({ description: 'when its bids are evaluated next; null: when the next bid comes' }),
  packageDescription: z.string(),
});

export const listOpenings = operation({
  name: 'listOpenings',
  tag: 'turns',
  summary: 'List the vacant legs that take bids',
  description:
    'Legs that their couriers left or lost, oldest first. Bid with submitBid and the legId; the places of the leg are given. ' +
    'Former couriers of the package cannot bid for them.',
  method: 'GET',
  path: '/openings',
  query: z.strictObject({ packageId: uuid.optional() }),
  answer: z.array(opening),
});

export const moveOpening = operation({
  name: 'moveOpening',
  tag: 'turns',
  summary: 'Move the pickup of a vacant leg',
  description:
    'When the parcel is somewhere else than where the leg began: the shipper says where its next courier picks it up. Bids for ' +
    'the old place end. A leg that was rebuilt opens by that.',
  auth: 'signed',
  method: 'POST',
  path: '/packages/:packageId/openings',
  refuses: ['not_your_turn', 'invalid_status'],
  params: z.strictObject({ packageId: uuid }),
  body: z.strictObject({
    legId: uuid,
    pickupLat: latitude,
    pickupLng: longitude,
    dropoffLat: latitude.optional().meta({ description: 'where a leg that was rebuilt ends' }),
    dropoffLng: longitude.optional(),
  }),
  example: { legId: EXAMPLE_LEG_ID, pickupLat: 52.5074, pickupLng: 13.3326 },
  answer: opening,
});

export const getArbiter = operation({
  name: 'getArbiter',
  tag: 'turns',
  summary: 'Read the record of an arbiter',
  description: 'What a key ruled in packages and tasks whose terms name it, and where it was silent.',
  method: 'GET',
  path: '/arbiters/:arbiterPubkey',
  params: z.strictObject({ arbiterPubkey: address }),
  answer: z.strictObject({
    arbiterPubkey: address,
    ruled: z.int().min(0).meta({ description: 'disputes that it ruled' }),
    silent: z.int().min(0).meta({ description: 'disputes that ended because it did not' }),
    open: z.int().min(0).meta({ description: 'disputes that wait for it' }),
    meanPercent: z.number().nullable().meta({ description: 'what its rulings left of payments; null: it ruled none' }),
  }),
});
