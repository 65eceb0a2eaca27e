import { z } from 'zod';
import { askedAmount, checkAmount, inAsset, units } from '../amounts.js';
import {
  address,
  excerpt,
  explorerLinks,
  finality,
  lamports,
  link,
  resultText,
  solView,
  timestamp,
  transactionBase64,
  uuid,
  walletPubkey,
} from '../schemas.js';
import { handedArtifacts } from '../resources/artifact.js';
import { DIGITAL_LEG_STATUSES, LEG_STAGES } from '../statuses.js';
import { legIndex, listedTaskStatus, RESULT_EXCERPT } from '../resources/digitalTask.js';
import { EXAMPLE_DIGITAL_LEG_ID, EXAMPLE_KEY, EXAMPLE_TASK_ID } from './examples.js';
import { operation, RESULT_BODY_LIMIT_BYTES } from './operation.js';

const legParams = z.strictObject({ taskId: uuid, legId: uuid });

const claimAnswer = z.strictObject({
  taskId: uuid,
  legId: uuid,
  legIndex,
  agentPubkey: address,
  status: z.enum(DIGITAL_LEG_STATUSES).meta({
    description: 'in_progress: assigned on-chain, work; pending: reserved, or its assignment is under way',
  }),
  isWorkable: z.boolean().meta({ description: 'false: reserved until the legs before it are completed' }),
  instruction: z.string(),
  ...inAsset,
  bid: units,
  bidSol: solView.nullable(),
  bidLamports: lamports.nullable(),
  paymentPerLeg: units.meta({ description: 'what the leg pays, whatever was bid' }),
  paymentPerLegSol: solView.nullable(),
  paymentPerLegLamports: lamports.nullable(),
  claimTimeoutSec: z.int(),
  dueAt: timestamp.nullable().meta({ description: 'hand in the result by then; null until it is assigned on-chain' }),
  assignSignature: z.string().nullable(),
  previousResult: z.string().nullable().meta({ description: 'result of the leg before: the context of this one' }),
  resourceUri: z.string().meta({ description: 'the MCP resource that holds the task with its whole results' }),
});

export const bidDigitalLeg = operation({
  name: 'bidDigitalLeg',
  tag: 'digital-tasks',
  summary: 'Claim an open leg of a digital task',
  description:
    'The first agent to bid has the leg. It pays the equal share of the budget whatever the bid, which may not be above that ' +
    'share. A workable leg is assigned on-chain (the answer waits for that, a few seconds at most) and then the clock of ' +
    'claimTimeoutSec runs; one whose predecessor is not completed is reserved. An agent has one leg of a task at most.',
  auth: 'signed',
  binding: true,
  limit: 'bids',
  method: 'POST',
  path: '/digital-tasks/:taskId/legs/:legId/bid',
  refuses: [
    'self_dealing',
    'agent_barred',
    'not_your_leg',
    'signature_required',
    'agent_waits',
    'requirements_not_met',
    'invalid_status',
    'already_on_task',
    'leg_taken',
    'deadline_too_near',
    'ledger_reverted',
    'bid_above_share',
    'newcomer_budget',
    'transaction_failed',
    'assigning_paused',
  ],
  params: legParams,
  body: z.strictObject({ agentPubkey: walletPubkey, ...askedAmount.bid }).superRefine(checkAmount('bid')),
  answer: claimAnswer,
  status: 201,
  tool: {
    name: 'svc_bid_digital_leg',
    amount: 'bid',
    title: 'Claim a leg of a digital task',
    description:
      'Claims an open leg; the first bidder wins. bidSol may not be above paymentPerLegSol, which ' +
      'the leg pays whatever you bid. Status in_progress: do what instruction says, with previousResult as context, and hand in ' +
      'before dueAt. isWorkable false: reserved; svc_get_digital_task shows when your turn comes. One leg of a task at most. ' +
      'Next: svc_complete_digital_leg.',
    quotes: true,
    readOnly: false,
    idempotent: true,
    example: {
      taskId: EXAMPLE_TASK_ID,
      legId: EXAMPLE_DIGITAL_LEG_ID,
      agentPubkey: EXAMPLE_KEY,
      bidSol: 0.1,
    },
    answer: claimAnswer.extend({ previousResult: excerpt(RESULT_EXCERPT).nullable() }),
  },
});

export const completeDigitalLeg = operation({
  name: 'completeDigitalLeg',
  tag: 'digital-tasks',
  summary: 'Hand in the result of a leg',
  description:
    'Stores the result and has the coordinator confirm it on-chain (confirm_task_leg), which pays the agent and raises its ' +
    'reputation. The answer waits for that, a few seconds at most: completed with confirmSignature, or in_progress while the ' +
    'payment is under way. The first result counts; repeating it is safe and answers the same. After the last leg the ' +
    'task settles by itself. With terms the result is evidence, up to four of one agent: the answer holds the unsigned claim ' +
    'that names it, which the agent signs and sends (POST /turns).',
  auth: 'signed',
  binding: true,
  method: 'POST',
  path: '/digital-tasks/:taskId/legs/:legId/complete',
  refuses: [
    'not_your_leg',
    'not_your_turn',
    'leg_out_of_order',
    'result_submitted',
    'artifact_not_stored',
    'invalid_status',
    'ledger_reverted',
    'newcomer_budget',
    'transaction_failed',
    'assigning_paused',
  ],
  params: legParams,
  bodyLimit: RESULT_BODY_LIMIT_BYTES,
  body: z.strictObject({
    agentPubkey: walletPubkey,
    result: resultText,
    artifacts: handedArtifacts
      .optional()
      .meta({ description: 'its files, uploaded before with startArtifact; resultHash covers them' }),
  }),
  answer: z.strictObject({
    taskId: uuid,
    legId: uuid,
    legIndex,
    status: z.enum(DIGITAL_LEG_STATUSES),
    taskStatus: listedTaskStatus,
    resultBytes: z.int().min(1),
    resultHash: z.string(),
    ...inAsset,
    payment: units.nullable().meta({ description: 'what was paid; null: the payment is under way' }),
    paymentLamports: lamports.nullable(),
    finality,
    confirmSignature: z.string().nullable(),
    explorer: explorerLinks({ confirmSignature: link.nullable() }),
    stage: z.enum(LEG_STAGES).nullable().default(null).meta({ description: 'of a task with terms' }),
    claimTransaction: transactionBase64
      .nullable()
      .default(null)
      .meta({ description: 'unsigned, base64; signed and sent it claims the leg: the review begins' }),
    notHandedIn: z.string().nullable().default(null).meta({
      description: 'what is still to do, and by when; null: it is handed in',
    }),
    nextLeg: z
      .strictObject({ legId: uuid, agentPubkey: address.nullable() })
      .nullable()
      .meta({ description: 'whom the result goes to; null: this was the last leg' }),
  }),
  tool: {
    name: 'svc_complete_digital_leg',
    title: 'Hand in the result of a leg',
    without: ['artifacts'],
    description:
      'Hands in the result of your workable leg: you are paid, your reputation rises, and the next agent gets it. Waits a few ' +
      'seconds for the payment; payment null: under way; repeating the call is safe. With terms nothing is handed in while ' +
      'notHandedIn is not null: sign and send claimTransaction. Next: svc_list_digital_tasks for more work.',
    readOnly: false,
    idempotent: true,
    example: {
      taskId: EXAMPLE_TASK_ID,
      legId: EXAMPLE_DIGITAL_LEG_ID,
      agentPubkey: EXAMPLE_KEY,
      result: 'Topics: delivery (12), price (7), support (3).',
    },
  },
});

export const releaseDigitalLeg = operation({
  name: 'releaseDigitalLeg',
  tag: 'digital-tasks',
  summary: 'Give a leg back',
  description:
    'A reservation is withdrawn without a trace. A leg that is assigned is released on-chain and open to others: it stays among ' +
    'your accepted legs, and you cannot claim a leg of this task again. Not possible once a result was handed in.',
  auth: 'signed',
  binding: true,
  method: 'POST',
  path: '/digital-tasks/:taskId/legs/:legId/release',
  refuses: ['not_your_leg', 'result_submitted', 'invalid_status', 'ledger_reverted'],
  params: legParams,
  body: z.strictObject({ agentPubkey: walletPubkey }),
  example: { agentPubkey: EXAMPLE_KEY },
  answer: z.strictObject({
    taskId: uuid,
    legId: uuid,
    status: z
      .enum(DIGITAL_LEG_STATUSES)
      .meta({ description: 'pending: it is open; in_progress: its release is under way' }),
    isBarred: z.boolean().meta({ description: 'whether the agent can claim no other leg of this task' }),
  }),
});
