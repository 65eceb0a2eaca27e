import { z } from 'zod';
import { artifact } from './artifact.js';
import { inAsset, units } from '../amounts.js';
import {
  address,
  excerpt,
  explorerLinks,
  finality,
  lamports,
  link,
  salt,
  solView,
  timestamp,
  uuid,
} from '../schemas.js';
import { DIGITAL_LEG_STATUSES, FAILURE_REASONS, TASK_STATUSES } from '../statuses.js';
import { requirements, terms } from '../terms.js';
import { legTurn } from './legTurn.js';

/** The most legs that a digital task has. Rule M-50. */
export const MAX_TASK_LEGS = 4;

/** The least and the most seconds that an agent may have for a leg once it is assigned. Rule M-53. */
export const MIN_CLAIM_TIMEOUT_SEC = 60;
export const MAX_CLAIM_TIMEOUT_SEC = 86_400;

/** Characters of a result that an answer to a model holds; the resource of the task holds all of it. */
export const RESULT_EXCERPT = 4_000;
/** Characters of a description or an instruction that a model sees of each task in a list. */
const LIST_EXCERPT = 300;

/** Statuses that a task can be shown with. */
export const listedTaskStatus = z.enum(TASK_STATUSES).exclude(['draft']);
export const legIndex = z
  .int()
  .min(0)
  .max(MAX_TASK_LEGS - 1);

/** A leg of a digital task as lists show it. */
export const digitalLegView = z.strictObject({
  id: uuid,
  legIndex,
  instruction: z.string(),
  status: z.enum(DIGITAL_LEG_STATUSES),
  finality,
  isOpen: z.boolean().meta({ description: 'nobody has it, and it can be claimed' }),
  isWorkable: z
    .boolean()
    .meta({ description: 'every earlier leg is completed: its agent can work; a claim before that is a reservation' }),
  agentPubkey: address.nullable(),
  bid: units.nullable().meta({ description: 'what its agent bid; it is paid the equal share all the same' }),
  bidLamports: lamports.nullable(),
  claimedAt: timestamp.nullable(),
  dueAt: timestamp.nullable().meta({ description: 'set while in_progress: without a result by then it is open again' }),
  payment: units.nullable().meta({ description: 'what its agent was paid; null until it is confirmed' }),
  paymentLamports: lamports.nullable(),
  completedAt: timestamp.nullable(),
  ...legTurn,
});
export type DigitalLegView = z.output<typeof digitalLegView>;

/** A leg with its result. */
export const digitalLegDetail = digitalLegView.extend({
  hasResult: z.boolean().meta({ description: 'a result was handed in; its payment may be under way' }),
  result: z
    .string()
    .nullable()
    .meta({ description: 'null until it is confirmed on-chain, or if the confirmed text is not here' }),
  resultBytes: z.int().min(0).nullable().meta({ description: 'size of the whole result in UTF-8; null with it' }),
  resultHash: z.string().nullable().meta({ description: 'sha256 of text and files, hex; stored on-chain' }),
  artifacts: z.array(artifact).meta({ description: 'the files of the result; none while it is null' }),
  onChainLeg: address,
  assignSignature: z.string().nullable(),
  confirmSignature: z.string().nullable(),
  explorer: explorerLinks({
    onChainLeg: link,
    assignSignature: link.nullable(),
    confirmSignature: link.nullable(),
  }),
});
export type DigitalLegDetail = z.output<typeof digitalLegDetail>;

/** A digital task as everybody sees it. */
export const digitalTaskView = z.strictObject({
  id: uuid,
  status: listedTaskStatus,
  failureReason: z.enum(FAILURE_REASONS).nullable(),
  finality,
  shipperPubkey: address.meta({ description: 'who posted it' }),
  funderPubkey: address,
  title: z.string(),
  description: z.string(),
  isPlanned: z.boolean().meta({ description: 'the service split it into legs, not who posted it' }),
  numLegs: z.int().min(1).max(MAX_TASK_LEGS),
  completedLegs: z.int().min(0).max(MAX_TASK_LEGS),
  ...inAsset,
  maxBudget: units,
  maxBudgetSol: solView.nullable(),
  maxBudgetLamports: lamports.nullable(),
  paymentPerLeg: units.meta({ description: 'what each leg pays: the budget by the number of legs, rounded down' }),
  paymentPerLegSol: solView.nullable(),
  paymentPerLegLamports: lamports.nullable(),
  claimTimeoutSec: z.int().meta({ description: 'seconds that an agent has for a leg once it is assigned' }),
  deadline: timestamp,
  termsHash: z.string().meta({ description: 'sha256 of the canonical JSON of the terms, hex; stored on-chain' }),
  onChainTask: address,
  onChainVault: address,
  listSignature: z.string(),
  listedAt: timestamp,
  settleSignature: z.string().nullable(),
  refund: units.nullable().meta({ description: 'budget minus what the agents were paid; set at settlement' }),
  refundLamports: lamports.nullable(),
  endSignature: z.string().nullable().meta({ description: 'of the transaction that cancelled or reclaimed it' }),
  terms: terms.nullable().default(null),
  requirements: requirements.nullable().default(null),
  erasedAt: timestamp
    .nullable()
    .default(null)
    .meta({ description: 'when its personal data was erased; null: it was not' }),
  documentKnown: z.boolean().default(true).meta({
    description: 'false: rebuilt from the ledger; what it says is not known',
  }),
  legs: z.array(digitalLegView),
});
export type DigitalTaskView = z.output<typeof digitalTaskView>;

/** A digital task with the results of its legs. */
export const digitalTaskDetail = digitalTaskView.extend({
  legs: z.array(digitalLegDetail),
  resourceUri: z.string().meta({ description: 'the MCP resource that holds this task with its whole results' }),
  salt: salt
    .nullable()
    .default(null)
    .meta({ description: 'of the document that termsHash is of; null: listed without one, or erased' }),
  explorer: explorerLinks({
    onChainTask: link,
    onChainVault: link,
    listSignature: link,
    settleSignature: link.nullable(),
    endSignature: link.nullable(),
  }),
});
export type DigitalTaskDetail = z.output<typeof digitalTaskDetail>;

/** The part of a task that its poster needs just after listing it. */
export const newTask = digitalTaskDetail
  .pick({
    id: true,
    status: true,
    finality: true,
    isPlanned: true,
    asset: true,
    decimals: true,
    paymentPerLeg: true,
    paymentPerLegLamports: true,
    deadline: true,
    onChainTask: true,
    onChainVault: true,
    listSignature: true,
    explorer: true,
  })
  .extend({ legs: z.array(digitalLegDetail.pick({ id: true, legIndex: true, instruction: true })) });

/** The part of a task that lists show a model: enough to choose a leg. */
export const taskSummary = z.object({
  ...digitalTaskView.pick({
    id: true,
    status: true,
    finality: true,
    title: true,
    numLegs: true,
    completedLegs: true,
    asset: true,
    decimals: true,
    maxBudget: true,
    maxBudgetSol: true,
    maxBudgetLamports: true,
    paymentPerLeg: true,
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
const legForModel = digitalLegDetail.extend({ result: excerpt(RESULT_EXCERPT).nullable() });
export const taskForModel = digitalTaskDetail.extend({ legs: z.array(legForModel) });

/** A task as the list of tools describes it: without what clients with keys need, and without files. */
export const describedTask = taskForModel
  .omit({
    salt: true,
    erasedAt: true,
    documentKnown: true,
    termsHash: true,
    listedAt: true,
    isPlanned: true,
    onChainVault: true,
  })
  .extend({
    legs: z.array(
      legForModel.omit({
        artifacts: true,
        bid: true,
        bidLamports: true,
        claimedAt: true,
        formation: true,
        since: true,
        disputerPubkey: true,
        evidenceHash: true,
        reasonHash: true,
        percent: true,
        forfeited: true,
        forfeitedLamports: true,
      }),
    ),
  });
