import { z } from 'zod';
import { address, pageQuery, lamports, timestamp, uuid } from '../schemas.js';
import { EXAMPLE_PACKAGE_ID } from './examples.js';
import { operation } from './operation.js';

const count = z.int().min(0);
const act = z.enum(['open', 'close', 'retry', 'heal', 'sweep', 'audit']);

/** Something that an operator has to know of, or to do something about. */
const attention = z.strictObject({
  of: z.enum([
    'ledger',
    'funds',
    'halt',
    'intent',
    'clock',
    'events',
    'files',
    'webhook',
    'dispute',
    'history',
    'audit',
  ]),
  subject: z.string().nullable().meta({ description: 'package:ID, task:ID or webhook:ID; null: the service' }),
  intentId: z.string().nullable(),
  kind: z.string().nullable().meta({ description: 'of the intent' }),
  since: timestamp.nullable(),
  cause: z.string(),
  advice: z.string(),
  acts: z.array(act),
});

/** The most that may be spent in 24 hours, or be outstanding, and how much of it is used. */
const budget = z.strictObject({ mostLamports: lamports, usedLamports: lamports });

export const getOperations = operation({
  name: 'getOperations',
  tag: 'operator',
  summary: 'Read how the service stands',
  description:
    'For operators, and with OPERATIONS_PUBLIC for everybody: what works, what waits, and what needs attention, the worst first.',
  auth: 'signable',
  method: 'GET',
  path: '/operations',
  refuses: ['signature_required', 'operators_only'],
  answer: z.strictObject({
    now: timestamp,
    version: z.string(),
    openUntil: timestamp.nullable().meta({ description: 'of the key that asks, if an operator opened it' }),
    rebuilt: z.boolean().meta({ description: 'all listings of the ledger are here' }),
    service: z
      .strictObject({
        replicas: count.meta({ description: 'services that listen to this database' }),
        startedAt: timestamp,
        refused: count.meta({ description: 'requests above a limit' }),
        failed: count.meta({ description: 'requests answered with 500 or above' }),
      })
      .meta({ description: 'the process that answers; what it counts begins with its start' }),
    database: z.strictObject({
      bytes: count,
      connections: count.meta({ description: 'of all clients of this database' }),
      mostConnections: count,
      waiting: count.meta({ description: 'queries of this process without a connection' }),
    }),
    ledger: z.strictObject({
      slot: count.nullable().meta({ description: 'null: the node does not answer' }),
      behindSec: z.int().nullable(),
      slotsBehind: count.meta({ description: 'of what was final here' }),
      paused: z.boolean().nullable().meta({ description: 'the program takes nothing new' }),
      notFinal: count,
      halted: count,
    }),
    mirroredAt: timestamp.nullable().meta({ description: 'when this process last had all that the ledger shows' }),
    coordinator: z.strictObject({
      pubkey: address,
      balanceLamports: lamports.nullable(),
      reserveLamports: lamports,
      promisedLamports: lamports,
      advancedLamports: lamports,
      dayLamports: lamports.meta({
        description:
          'at most, of the last 24 hours: rents, fees and funded budgets of what it began, and fees for others; nothing that came back is taken off',
      }),
    }),
    budgets: z
      .strictObject({ newcomers: budget, listings: budget, outstanding: budget, fees: budget })
      .meta({ description: 'of 24 hours; outstanding: at any time' }),
    intents: z.array(
      z.strictObject({
        kind: z.string(),
        status: z.string(),
        intents: count,
        oldestSec: z.number(),
        lastError: z.string().nullable().meta({ description: 'of the oldest' }),
      }),
    ),
    unnumberedEvents: count,
    webhooks: z.strictObject({ active: count, failing: count, disabled: count }),
    files: z.strictObject({
      stored: count,
      bytes: count,
      freeBytes: count.nullable().meta({ description: 'null: not on a disk of this machine' }),
      reserveBytes: count,
    }),
    issuers: z
      .array(z.strictObject({ pubkey: address, since: timestamp, until: timestamp.nullable() }))
      .meta({ description: 'keys of credentials, the newest first' }),
    audited: z
      .strictObject({ at: timestamp, differences: count, operatorPubkey: address })
      .nullable()
      .meta({ description: 'what the last audit found that an operator told; null: none was told' }),
    attention: z.array(attention),
  }),
});

export const actAsOperator = operation({
  name: 'actAsOperator',
  tag: 'operator',
  summary: 'Have the service try again',
  description:
    'For operators: open lets another key do for an hour what operators may, but for opening; close ends that; retry has an intent, or all of a kind, tried at ' +
    'once; heal writes a halted listing, or all of them, again; sweep has every worker look for what is due; audit keeps how many differences an audit ' +
    'found. Nothing that the service would not do by itself.',
  auth: 'signed',
  method: 'POST',
  path: '/operations/acts',
  refuses: ['operators_only', 'not_found', 'invalid_status'],
  body: z.strictObject({
    act,
    key: address.optional(),
    intentId: z
      .string()
      .regex(/^\d{1,18}$/, 'must be the number of an intent')
      .optional(),
    kind: z
      .string()
      .regex(/^[a-z_]{1,30}$/, 'must be the kind of an intent, such as settle')
      .optional(),
    listingId: uuid.optional(),
    differences: count.max(1_000_000_000).optional(),
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
  description: 'Newest first, each with the text that its operator signed.',
  auth: 'signed',
  method: 'GET',
  path: '/operations/acts',
  refuses: ['operators_only'],
  query: z.strictObject(pageQuery),
  paged: true,
  answer: z.array(
    z.strictObject({
      at: timestamp,
      operatorPubkey: address,
      openedBy: address.nullable().meta({ description: 'the operator who opened that key; null: it is one' }),
      act,
      target: z.string(),
      text: z.string(),
      body: z.string().nullable().meta({ description: 'whose sha256 the text ends with' }),
      signature: z.string(),
    }),
  ),
});
