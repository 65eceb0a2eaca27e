import { z } from 'zod';
import { address, lamports, timestamp, uuid } from '../schemas.js';
import { EXAMPLE_PACKAGE_ID } from './examples.js';
import { operation } from './operation.js';

const count = z.int().min(0);
const act = z.enum(['retry', 'heal']);

/** Something that an operator has to know of, or to do something about. */
const attention = z.strictObject({
  of: z.enum(['ledger', 'funds', 'halt', 'intent', 'events', 'webhook', 'clock', 'dispute']),
  subject: z
    .string()
    .nullable()
    .meta({ description: 'what it is about: package:ID, task:ID, webhook:ID; null: the service' }),
  intentId: z.string().nullable().meta({ description: 'for retry' }),
  since: timestamp.nullable(),
  cause: z.string().meta({ description: 'in words' }),
  advice: z.string().meta({ description: 'what to do, and what happens if nothing is done' }),
  acts: z.array(act).meta({ description: 'what actAsOperator can do about it' }),
});

export const getOperations = operation({
  name: 'getOperations',
  tag: 'operator',
  summary: 'Read how the service stands',
  description:
    'For operators: the keys that the service is configured with, and the authority of the program. What works, what waits, and what ' +
    'needs attention, the worst first.',
  auth: 'signed',
  method: 'GET',
  path: '/operations',
  refuses: ['operators_only'],
  answer: z.strictObject({
    now: timestamp,
    version: z.string(),
    rebuilt: z.boolean().meta({ description: 'whether all listings of the ledger that are to be here are here' }),
    ledger: z.strictObject({
      slot: count.nullable().meta({ description: 'confirmed; null: the node does not answer' }),
      behindSec: z
        .int()
        .nullable()
        .meta({ description: "how far the ledger's clock is behind this machine's, seconds" }),
      notFinal: count.meta({ description: 'transactions that are applied here and not final yet' }),
      halted: count.meta({ description: 'listings that wait to be healed' }),
    }),
    coordinator: z.strictObject({
      pubkey: address,
      balanceLamports: lamports.nullable(),
      reserveLamports: lamports.meta({ description: 'below it nothing new begins' }),
      promisedLamports: lamports.meta({ description: 'decided and not spent yet' }),
      advancedLamports: lamports.meta({ description: 'in listings that it funded, and not back yet' }),
    }),
    intents: z
      .array(z.strictObject({ kind: z.string(), status: z.string(), intents: count, oldestSec: z.number() }))
      .meta({ description: 'what the coordinator has yet to do on the ledger' }),
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
    'For operators: retry has an intent that waits or was given up tried at once; heal writes a halted listing again if the node shows ' +
    'all of its history as final. Neither does anything that the service would not do by itself. Each is kept with the proof of who asked.',
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
    outcome: z.string().meta({ description: 'in words: what was done, or why not' }),
  }),
});

export const listOperatorActs = operation({
  name: 'listOperatorActs',
  tag: 'operator',
  summary: 'Read what operators had done',
  description:
    'For operators: the newest 200, each with the text that its operator signed. Nobody can change or remove one.',
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
      text: z.string().meta({ description: 'what was signed' }),
      signature: z.string(),
    }),
  ),
});
