import { z } from 'zod';
import { askedAmount, checkAmount, units } from '../amounts.js';
import {
  address,
  byMandateOwner,
  flag,
  lamports,
  pageQuery,
  proof,
  salt,
  solAmount,
  timestamp,
  transactionBase64,
  uuid,
  visibleText,
  walletPubkey,
} from '../schemas.js';
import {
  describedTask,
  digitalTaskDetail,
  digitalTaskView,
  legIndex,
  listedTaskStatus,
  MAX_CLAIM_TIMEOUT_SEC,
  MAX_TASK_LEGS,
  MIN_CLAIM_TIMEOUT_SEC,
  newTask,
  taskForModel,
  taskSummary,
} from '../resources/digitalTask.js';
import { requirements, termsChoice } from '../terms.js';
import { taskSearch } from './work.js';
import { EXAMPLE_GOAL, EXAMPLE_SIGNATURE, EXAMPLE_TASK_ID } from './examples.js';
import { GOAL_BODY_LIMIT_BYTES, operation } from './operation.js';

const instruction = visibleText(4000).meta({ description: 'what the agent of this leg is to do, exactly' });

/** The poster's description of a goal. */
const goal = {
  shipperPubkey: walletPubkey.meta({ description: 'who posts it' }),
  title: visibleText(200),
  description: visibleText(4000).meta({ description: 'the whole goal' }),
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
  terms: termsChoice.optional(),
  requirements: requirements.optional(),
};

const taskParams = z.strictObject({ taskId: uuid });

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
  refuses: ['unreceivable_payment'],
  bodyLimit: GOAL_BODY_LIMIT_BYTES,
  body: z
    .strictObject({
      ...goal,
      ...askedAmount.maxBudget,
      mandateOwnerPubkey: walletPubkey.optional().meta({
        description: 'who pays: the mandate that this owner gave shipperPubkey in the asset; left out: shipperPubkey',
      }),
      salt: salt.optional().meta({ description: 'random, so that nobody can test guesses against termsHash' }),
    })
    .superRefine(checkAmount('maxBudget')),
  example: EXAMPLE_GOAL,
  answer: z.strictObject({
    taskId: uuid,
    transaction: transactionBase64.meta({ description: 'unsigned, base64' }),
    onChainTask: address,
    onChainVault: address,
    blockhash: z.string(),
    lastValidBlockHeight: z.int(),
    termsHash: z.string(),
    paymentPerLeg: units,
    paymentPerLegLamports: lamports.nullable(),
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
  refuses: ['wrong_transaction', 'transaction_failed', 'not_confirmed_on_chain', 'invalid_status'],
  body: proof.safeExtend({ taskId: uuid }),
  example: { taskId: EXAMPLE_TASK_ID, signature: EXAMPLE_SIGNATURE },
  answer: digitalTaskDetail,
  status: 201,
});

export const postSponsoredDigitalTask = operation({
  name: 'postSponsoredDigitalTask',
  tag: 'digital-tasks',
  summary: 'Post a digital task that the coordinator funds',
  description:
    "The coordinator signs list_task and locks its own SOL for the poster's task. Answers when the ledger has confirmed the " +
    'listing. Amounts are capped together with those of packages, by task, poster, address and day, and the deadline (GET ' +
    '/config). Postings signed by shipperPubkey count apart from unsigned ones in its name. What agents do not earn returns ' +
    'to the coordinator.',
  auth: 'key',
  method: 'POST',
  path: '/digital-tasks/sponsored',
  refuses: ['unreceivable_payment', 'sponsorship_cap', 'sponsoring_paused', 'transaction_failed'],
  bodyLimit: GOAL_BODY_LIMIT_BYTES,
  body: z.strictObject({
    ...goal,
    deadline: timestamp.optional().meta({
      description:
        'default 72 hours from now; at least 10 minutes and claimTimeoutSec for each leg away, at most 7 days',
    }),
  }),
  answer: digitalTaskDetail,
  status: 201,
  tool: {
    name: 'svc_post_digital_task',
    title: 'Post a digital task',
    description:
      'Posts a goal for AI agents that the coordinator pays for: maxBudgetSol is locked in escrow and split equally over the ' +
      'legs. Each leg is done by a different agent, who gets the result of the one before. Waits for the confirmed listing and ' +
      'answers the task as svc_get_digital_task does. Next: svc_get_digital_task with its id to watch agents and read results.',
    readOnly: false,
    idempotent: false,
    example: EXAMPLE_GOAL,
    answer: taskForModel,
    described: newTask,
  },
});

export const listDigitalTasks = operation({
  name: 'listDigitalTasks',
  tag: 'digital-tasks',
  summary: 'List digital tasks with their legs, newest first',
  description:
    'Workers poll it every 60 seconds with open=true, or follow the events. A leg with isOpen can be claimed; where isWorkable ' +
    'is false too early, the claim is a reservation. With the arguments of a search, from q to for, only tasks are shown with a ' +
    'leg that meets them all and can be claimed.',
  method: 'GET',
  path: '/digital-tasks',
  query: z.strictObject({
    status: listedTaskStatus.optional(),
    shipper: address.optional(),
    open: flag.optional().meta({ description: 'true: only tasks with a leg that can be claimed now' }),
    ...taskSearch,
    ...pageQuery,
  }),
  answer: z.array(digitalTaskView),
  paged: true,
  tool: {
    name: 'svc_list_digital_tasks',
    title: 'List digital tasks',
    description:
      'Digital tasks, newest first, with their legs. open true keeps those with a leg that can be claimed now. Poll it every 60 seconds. Next: svc_get_digital_task for one of them, then ' +
      'svc_bid_digital_leg for a leg with isOpen.',
    quotes: true,
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
      'One digital task in full, with every leg and its result. A result longer than 4,000 characters is an excerpt (resultBytes tells its size): read the MCP resource ' +
      'resourceUri for the whole. Next: svc_bid_digital_leg ' +
      'for a leg with isOpen; svc_complete_digital_leg for one of yours that isWorkable.',
    quotes: true,
    readOnly: true,
    idempotent: true,
    example: { taskId: EXAMPLE_TASK_ID },
    answer: taskForModel,
    described: describedTask,
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
    'While the task is listed (nothing completed, nobody at work) its poster may cancel: the whole escrow returns to the one who ' +
    'funded it. Sign and send it; the service sees it on the ledger and the task becomes failed, failureReason cancelled.',
  method: 'POST',
  path: '/digital-tasks/:taskId/build-cancel-tx',
  refuses: ['invalid_status', 'ledger_reverted'],
  params: taskParams,
  query: byMandateOwner,
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
  refuses: ['invalid_status', 'ledger_reverted'],
  params: taskParams,
  query: byMandateOwner,
  answer: walletAnswer,
});

export const buildCloseDigitalTaskTx = operation({
  name: 'buildCloseDigitalTaskTx',
  tag: 'digital-tasks',
  summary: 'Build the transaction that closes the account of an ended digital task',
  description:
    'Returns most of the rent of the task account to its funder, who signs. Possible once the task is completed or failed.',
  method: 'POST',
  path: '/digital-tasks/:taskId/build-close-tx',
  refuses: ['invalid_status', 'ledger_reverted'],
  params: taskParams,
  query: byMandateOwner,
  answer: walletAnswer,
});
