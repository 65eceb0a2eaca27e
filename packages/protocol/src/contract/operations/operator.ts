import { z } from 'zod';
import { address, lamports, timestamp, uuid } from '../schemas.js';
import { EXAMPLE_PACKAGE_ID } from './examples.js';
import { operation } from './operation.js';

const count = z.int().min(0);
const act = z.enum(['retry', 'heal']);

/** Something that an operator has to know of, or to do something about. */
const attention = z.strictObject({
  of: z.enum(['ledger', 'funds', 'halt', 'intent', 'events', 'webhook', 'dispute']),
  subject: z.string().nullable().meta({ description: 'package:ID, task:ID or webhook:ID; null: the service' }),
  intentId: z.string().nullable(),
  since: timestamp.nullable(),
  cause: z.string(),
  advice: z.string(),
  acts: z.array(act),
});

export const getOperations = operation({
  name: 'getOperations',
  tag: 'operator',
  summary: 'Read how the service stands',
  description: 'For operators: what works, what waits, and what needs attention, the worst first.',
  auth: 'signed',
  method: 'GET',
  path: '/operations',
  refuses: ['operators_only'],
  answer: z.strictObject({
    now: timestamp,
    version: z.string(),
    rebuilt: z.boolean().meta({ description: 'all listings of the ledger are here' }),
    ledger: z.strictObject({
      slot: count.nullable().meta({ description: 'null: the node does not answer' }),
      behindSec: z.int().nullable(),
      notFinal: count,
      halted: count,
    }),
    coordinator: z.strictObject({
      pubkey: address,
      balanceLamports: lamports.nullable(),
      reserveLamports: lamports,
      promisedLamports: lamports,
      advancedLamports: lamports,
    }),
    intents: z.array(z.strictObject({ kind: z.string(), status: z.string(), intents: count, oldestSec: z.number() })),
    unnumberedEvents: count,
    webhooks: z.strictObject({ active: count, failing: count, disabled: count }),
    attention: z.array(attention),
  }),
});

export const actAsOperator = operation({
  name: 'actAsOperator',
  tag: 'operator',
  summary: 'Have the service try again',
  description:
    'For operators: retry has an intent tried at once, heal writes a halted listing again. Neither does what the service would not do by itself.',
  auth: 'signed',
  method: 'POST',
  path: '/operations/acts',
  refuses: ['operators_only', 'not_found', 'invalid_status'],
  body: z.strictObject({
    act,
    intentId: z
      .string()
      .regex(/^\d{1,18}$/, 'must be the number of an intent')
      .optional(),
    listingId: uuid.optional(),
  }),
  example: { act: 'heal', listingId: EXAMPLE_PACKAGE_ID },
  answer: z.strictObject({
    isDone: z.boolean(),
    outcome: z.string(),
  }),
});

export const listOperatorActs = operation({
  name: 'listOperatorActs',
  tag: 'operator',
  summary: 'Read what operators had done',
  description: 'The newest 200, each with the text that its operator signed.',
  auth: 'signed',
  method: 'GET',
  path: '/operations/acts',
  refuses: ['operators_only'],
  answer: z.array(
    z.strictObject({
      at: timestamp,
      operatorPubkey: address,
      act,
      target: z.string(),
      text: z.string(),
      signature: z.string(),
    }),
  ),
});
