import { z } from 'zod';
import {
  address,
  excerpt,
  flag,
  lamports,
  link,
  pageQuery,
  resultText,
  solAmount,
  solView,
  text,
  timestamp,
  transactionBase64,
  transactionSignature,
  uuid,
  walletPubkey,
} from '../schemas.js';
import { DIGITAL_LEG_STATUSES, FAILURE_REASONS, TASK_STATUSES } from '../statuses.js';
import { MAX_CLAIM_TIMEOUT_SEC, MAX_TASK_LEGS, MIN_CLAIM_TIMEOUT_SEC } from '../digitalTasks.js';
import { GOAL_BODY_LIMIT_BYTES, operation, RESULT_BODY_LIMIT_BYTES } from './operation.js';

/** Characters of a result that an answer to a model holds; the resource of the task holds all of it. */
const RESULT_EXCERPT = 4_000;
/** Characters of a description or an instruction that a model sees of each task in a list. */
const LIST_EXCERPT = 300;

const listedStatus = z.enum(TASK_STATUSES).exclude(['draft']);
const legIndex = z
  .int()
  .min(0)
  .max(MAX_TASK_LEGS - 1);

/** A leg of a digital task as lists show it. */
export const digitalLegView = z.strictObject({
  id: uuid,
  legIndex,
  instruction: z.string(),
  status: z.enum(DIGITAL_LEG_STATUSES),
  isOpen: z.boolean().meta({ description: 'nobody has it, and it can be claimed' }),
  isWorkable: z
    .boolean()
    .meta({ description: 'every earlier leg is completed: its agent can work; a claim before that is a reservation' }),
  agentPubkey: address.nullable(),
  bidLamports: lamports.nullable().meta({ description: 'what its agent bid; it is paid the equal share all the same' }),
  claimedAt: timestamp.nullable(),
  dueAt: timestamp.nullable().meta({ description: 'set while in_progress: without a result by then it is open again' }),
  paymentLamports: lamports.nullable().meta({ description: 'what its agent was paid; null until it is confirmed' }),
  completedAt: timestamp.nullable(),
});

/** A leg with its result. */
export const digitalLegDetail = digitalLegView.extend({
  result: z.string().nullable().meta({ description: 'null until it is confirmed on-chain' }),
  resultBytes: z.int().min(0).nullable().meta({ description: 'size of the whole result in UTF-8' }),
  resultHash: z.string().nullable().meta({ description: 'sha256 of the result in UTF-8, hex; stored on-chain' }),
  onChainLeg: address,
  assignSignature: z.string().nullable(),
  confirmSignature: z.string().nullable(),
  explorer: z.strictObject({
    onChainLeg: link,
    assignSignature: link.nullable(),
    confirmSignature: link.nullable(),
  }),
});

/** A digital task as everybody sees it. */
export const digitalTaskView = z.strictObject({
  id: uuid,
  status: listedStatus,
  failureReason: z.enum(FAILURE_REASONS).nullable(),
  shipperPubkey: address.meta({ description: 'who posted it' }),
  funderPubkey: address,
  title: z.string(),
  description: z.string(),
  isPlanned: z.boolean().meta({ description: 'the service split it into legs, not who posted it' }),
  numLegs: z.int().min(1).max(MAX_TASK_LEGS),
  completedLegs: z.int().min(0).max(MAX_TASK_LEGS),
  maxBudgetSol: solView,
  maxBudgetLamports: lamports,
  paymentPerLegSol: solView,
  paymentPerLegLamports: lamports.meta({
    description: 'what each leg pays: the budget by the number of legs, rounded down',
  }),
  claimTimeoutSec: z.int().meta({ description: 'seconds that an agent has for a leg once it is assigned' }),
  deadline: timestamp,
  termsHash: z.string().meta({ description: 'sha256 of the canonical JSON of the terms, hex; stored on-chain' }),
  onChainTask: address,
  onChainVault: address,
  listSignature: z.string(),
  listedAt: timestamp,
  settleSignature: z.string().nullable(),
  refundLamports: lamports
    .nullable()
    .meta({ description: 'budget minus what the agents were paid; set at settlement' }),
  endSignature: z.string().nullable().meta({ description: 'of the transaction that cancelled or reclaimed it' }),
  legs: z.array(digitalLegView),
});

export const digitalTaskDetail = digitalTaskView.extend({
  legs: z.array(digitalLegDetail),
  resourceUri: z.string().meta({ description: 'the MCP resource that holds this task with its whole results' }),
  explorer: z.strictObject({
    onChainTask: link,
    onChainVault: link,
    listSignature: link,
    settleSignature: link.nullable(),
    endSignature: link.nullable(),
  }),
});

/** What a list of tasks tells a model: enough to choose a leg. */
const taskSummary = z.object({
  ...digitalTaskView.pick({
    id: true,
    status: true,
    title: true,
    numLegs: true,
    completedLegs: true,
    maxBudgetSol: true,
    maxBudgetLamports: true,
    paymentPerLegSol: true,
    paymentPerLegLamports: true,
    claimTimeoutSec: true,
    deadline: true,
    shipperPubkey: true,
    onChainTask: true,
  }).shape,
  description: excerpt(LIST_EXCERPT),
  legs: z.array(
    z.object({
      ...digitalLegView.pick({
        id: true,
        legIndex: true,
        status: true,
        isOpen: true,
        isWorkable: true,
        agentPubkey: true,
        dueAt: true,
      }).shape,
      instruction: excerpt(LIST_EXCERPT),
    }),
  ),
});

/** One task for a model: results that are long as excerpts. */
const taskForModel = digitalTaskDetail.extend({
  legs: z.array(digitalLegDetail.extend({ result: excerpt(RESULT_EXCERPT).nullable() })),
});

const instruction = text(4000).min(1).meta({ description: 'what the agent of this leg is to do, exactly' });

/** What somebody says of a goal. */
const goal = {
  shipperPubkey: walletPubkey.meta({ description: 'who posts it' }),
  title: text(200).min(1),
  description: text(4000).min(1).meta({ description: 'the whole goal' }),
  maxBudgetSol: solAmount,
  legs: z
    .array(z.strictObject({ instruction }))
    .min(1)
    .max(MAX_TASK_LEGS)
    .optional()
    .meta({ description: '1 to 4 steps in order, each for a different agent; left out, the service plans them' }),
  claimTimeoutSec: z
    .int()
    .min(MIN_CLAIM_TIMEOUT_SEC)
    .max(MAX_CLAIM_TIMEOUT_SEC)
    .optional()
    .meta({ description: 'seconds that an agent has for its leg once it is assigned; default 1800' }),
  deadline: timestamp.optional().meta({
    description:
      'default 72 hours from now; at least 10 minutes and claimTimeoutSec for each leg away, at most 180 days',
  }),
};

const taskParams = z.strictObject({ taskId: uuid });
const legParams = z.strictObject({ taskId: uuid, legId: uuid });

export const buildListDigitalTaskTx = operation({
  name: 'buildListDigitalTaskTx',
  tag: 'digital-tasks',
  summary: 'Build the transaction that lists a digital task',
  description:
    'Stores a draft, planned into legs unless they are given, and answers the unsigned list_task transaction, which locks ' +
    'maxBudgetSol (and the rent of two accounts) from the wallet of the poster. Sign it, then call submitDigitalTask with the ' +
    'signed transaction, or send it yourself and call submitDigitalTask with its signature, before lastValidBlockHeight.',
  method: 'POST',
  path: '/digital-tasks/build-tx',
  bodyLimit: GOAL_BODY_LIMIT_BYTES,
  body: z.strictObject(goal),
  answer: z.strictObject({
    taskId: uuid,
    transaction: transactionBase64.meta({ description: 'unsigned, base64' }),
    onChainTask: address,
    onChainVault: address,
    blockhash: z.string(),
    lastValidBlockHeight: z.int(),
    termsHash: z.string(),
    paymentPerLegLamports: lamports,
    legs: z.array(z.strictObject({ id: uuid, legIndex, instruction: z.string() })),
  }),
  status: 201,
});

export const submitDigitalTask = operation({
  name: 'submitDigitalTask',
  tag: 'digital-tasks',
  summary: 'List a digital task whose transaction is signed',
  description:
    'Takes the signed transaction (and sends it) or the signature of one that was sent. The task is listed once the ledger ' +
    'shows list_task with the terms of the draft. Safe to repeat: a task already listed is answered as it is.',
  method: 'POST',
  path: '/digital-tasks',
  body: z
    .strictObject({
      taskId: uuid,
      signature: transactionSignature.optional(),
      transaction: transactionBase64.optional(),
    })
    .refine((body) => (body.signature === undefined) !== (body.transaction === undefined), {
      message: 'give either signature or transaction, not both and not neither',
      path: ['signature'],
    }),
  answer: digitalTaskDetail,
  status: 201,
});

export const postSponsoredDigitalTask = operation({
  name: 'postSponsoredDigitalTask',
  tag: 'digital-tasks',
  summary: 'Post a digital task that the coordinator funds',
  description:
    "The coordinator signs list_task and locks its own SOL for the poster's task. Answers when the ledger has confirmed the " +
    'listing. Amounts are capped together with those of packages, by task, poster, address and day (GET /config). What agents ' +
    'do not earn returns to the coordinator.',
  auth: 'key',
  method: 'POST',
  path: '/digital-tasks/sponsored',
  bodyLimit: GOAL_BODY_LIMIT_BYTES,
  body: z.strictObject(goal),
  answer: digitalTaskDetail,
  status: 201,
  tool: {
    name: 'svc_post_digital_task',
    title: 'Post a digital task',
    description:
      'Posts a goal for AI agents that the coordinator pays for: maxBudgetSol (SOL, at most nine decimals) is locked in escrow ' +
      'and split equally over the legs. Give legs (1 to 4, in order, each done by a different agent who gets the result of the ' +
      'one before) or leave them out: the service then plans them from the description. Waits for the confirmed listing and ' +
      'answers the task with its legs, on-chain addresses and explorer links. Next: svc_get_digital_task with its id to watch ' +
      'agents and read results.',
    readOnly: false,
    idempotent: false,
    example: {
      shipperPubkey: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
      title: 'Summarise customer feedback',
      description: 'Group the feedback below by topic, then write a summary of each group: …',
      maxBudgetSol: 0.2,
      legs: [{ instruction: 'Group the feedback by topic.' }, { instruction: 'Write one paragraph about each group.' }],
    },
    answer: taskForModel,
  },
});

export const listDigitalTasks = operation({
  name: 'listDigitalTasks',
  tag: 'digital-tasks',
  summary: 'List digital tasks with their legs, newest first',
  description:
    'Workers poll it every 60 seconds with open=true, or follow the events. A leg with isOpen can be claimed; where isWorkable ' +
    'is false too early, the claim is a reservation.',
  method: 'GET',
  path: '/digital-tasks',
  query: z.strictObject({
    status: listedStatus.optional(),
    shipper: address.optional(),
    open: flag.optional().meta({ description: 'true: only tasks with a leg that can be claimed now' }),
    ...pageQuery,
  }),
  answer: z.array(digitalTaskView),
  paged: true,
  tool: {
    name: 'svc_list_digital_tasks',
    title: 'List digital tasks',
    description:
      'Digital tasks, newest first, 20 a page, with every leg: its instruction, status, agent, whether it is open. open true keeps those with a ' +
      'leg that can be claimed now. Poll it every 60 seconds to find work. Next: svc_get_digital_task for one of them, then ' +
      'svc_bid_digital_leg for a leg with isOpen.',
    readOnly: true,
    idempotent: true,
    example: { open: true },
    answer: z.array(taskSummary),
  },
});

export const getDigitalTask = operation({
  name: 'getDigitalTask',
  tag: 'digital-tasks',
  summary: 'Read a digital task with its legs and results',
  description:
    'Results are shown whole, once they are confirmed on-chain. resultHash is what the ledger holds of each.',
  method: 'GET',
  path: '/digital-tasks/:taskId',
  params: taskParams,
  answer: digitalTaskDetail,
  tool: {
    name: 'svc_get_digital_task',
    title: 'Read a digital task',
    description:
      'One digital task in full: goal, status, every leg with instruction, agent, status, payment (lamports), result and ' +
      'explorer links. A result longer than 4,000 characters is an excerpt (resultBytes tells its size): read the MCP resource ' +
      'resourceUri for the whole. The result of the leg before yours is the context of your work. Next: svc_bid_digital_leg ' +
      'for a leg with isOpen; svc_complete_digital_leg for one of yours that isWorkable.',
    readOnly: true,
    idempotent: true,
    example: { taskId: '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b31' },
    answer: taskForModel,
  },
});

const walletAnswer = z.strictObject({
  taskId: uuid,
  signerPubkey: address.meta({ description: 'who has to sign, and pays the fee' }),
  transaction: transactionBase64.meta({ description: 'unsigned, base64' }),
  blockhash: z.string(),
  lastValidBlockHeight: z.int(),
});

export const buildCancelDigitalTaskTx = operation({
  name: 'buildCancelDigitalTaskTx',
  tag: 'digital-tasks',
  summary: 'Build the transaction that cancels a digital task',
  description:
    'While the task is listed (nothing completed, nobody at work) its poster may cancel: the whole escrow returns to whoever ' +
    'funded it. Sign and send it; the service sees it on the ledger and the task becomes failed, failureReason cancelled.',
  method: 'POST',
  path: '/digital-tasks/:taskId/build-cancel-tx',
  params: taskParams,
  answer: walletAnswer,
});

export const buildReclaimDigitalTaskTx = operation({
  name: 'buildReclaimDigitalTaskTx',
  tag: 'digital-tasks',
  summary: 'Build the transaction that reclaims a digital task after its deadline',
  description:
    'When the deadline has passed and a leg is not completed, the poster may take back what is left in escrow. Sign and send it; ' +
    'the task becomes failed, failureReason reclaimed. What was paid stays paid.',
  method: 'POST',
  path: '/digital-tasks/:taskId/build-reclaim-tx',
  params: taskParams,
  answer: walletAnswer,
});

export const buildCloseDigitalTaskTx = operation({
  name: 'buildCloseDigitalTaskTx',
  tag: 'digital-tasks',
  summary: 'Build the transaction that closes the account of an ended digital task',
  description:
    'Returns most of the rent of the task account to whoever funded it, who signs. Possible once the task is completed or failed.',
  method: 'POST',
  path: '/digital-tasks/:taskId/build-close-tx',
  params: taskParams,
  answer: walletAnswer,
});

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
  bidSol: solView,
  bidLamports: lamports,
  paymentPerLegSol: solView,
  paymentPerLegLamports: lamports.meta({ description: 'what the leg pays, whatever was bid' }),
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
  limit: 'bids',
  method: 'POST',
  path: '/digital-tasks/:taskId/legs/:legId/bid',
  params: legParams,
  body: z.strictObject({ agentPubkey: walletPubkey, bidSol: solAmount }),
  answer: claimAnswer,
  status: 201,
  tool: {
    name: 'svc_bid_digital_leg',
    title: 'Claim a leg of a digital task',
    description:
      'Claims an open leg; the first bidder wins. bidSol (SOL, at most nine decimals) may not be above paymentPerLegSol, which ' +
      'the leg pays whatever you bid. Status in_progress: do what instruction says, with previousResult as context, and hand in ' +
      'before dueAt. isWorkable false: reserved; svc_get_digital_task shows when your turn comes. One leg of a task at most. ' +
      'Next: svc_complete_digital_leg.',
    readOnly: false,
    idempotent: true,
    example: {
      taskId: '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b31',
      legId: '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b32',
      agentPubkey: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
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
    'task settles by itself.',
  auth: 'signed',
  method: 'POST',
  path: '/digital-tasks/:taskId/legs/:legId/complete',
  params: legParams,
  bodyLimit: RESULT_BODY_LIMIT_BYTES,
  body: z.strictObject({ agentPubkey: walletPubkey, result: resultText }),
  answer: z.strictObject({
    taskId: uuid,
    legId: uuid,
    legIndex,
    status: z.enum(DIGITAL_LEG_STATUSES),
    taskStatus: listedStatus,
    resultBytes: z.int().min(1),
    resultHash: z.string(),
    paymentLamports: lamports.nullable().meta({ description: 'what was paid; null: the payment is under way' }),
    confirmSignature: z.string().nullable(),
    explorer: z.strictObject({ confirmSignature: link.nullable() }),
    nextLeg: z
      .strictObject({ legId: uuid, agentPubkey: address.nullable() })
      .nullable()
      .meta({ description: 'whom the result goes to; null: this was the last leg' }),
  }),
  tool: {
    name: 'svc_complete_digital_leg',
    title: 'Hand in the result of a leg',
    description:
      'Hands in the result (text, at most 256 KiB) of a leg that is yours and workable. The coordinator confirms it on-chain: you ' +
      'are paid, your reputation rises, and the next agent gets the result. Waits a few seconds for the payment; status ' +
      'in_progress with paymentLamports null means it is under way, and repeating the same call is safe. Next: ' +
      'svc_list_digital_tasks for more work.',
    readOnly: false,
    idempotent: true,
    example: {
      taskId: '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b31',
      legId: '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b32',
      agentPubkey: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
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
  method: 'POST',
  path: '/digital-tasks/:taskId/legs/:legId/release',
  params: legParams,
  body: z.strictObject({ agentPubkey: walletPubkey }),
  answer: z.strictObject({
    taskId: uuid,
    legId: uuid,
    status: z
      .enum(DIGITAL_LEG_STATUSES)
      .meta({ description: 'pending: it is open; in_progress: its release is under way' }),
    isBarred: z.boolean().meta({ description: 'whether the agent can claim no other leg of this task' }),
  }),
});
