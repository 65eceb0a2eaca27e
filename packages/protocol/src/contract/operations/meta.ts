import { z } from 'zod';
import { CLUSTERS } from '../pages.js';
import { assetName, units } from '../amounts.js';
import { address, lamports, timestamp, uuid } from '../schemas.js';
import { operation } from './operation.js';

export const getConfig = operation({
  name: 'getConfig',
  tag: 'meta',
  summary: 'Read what a client needs to know about this service',
  description: 'Program, ledger, coordinator and limits. It never changes while the service runs.',
  method: 'GET',
  path: '/config',
  answer: z.strictObject({
    name: z.string().meta({ description: 'the kind of service; no client should depend on it' }),
    version: z.string(),
    publicUrl: z.string(),
    mcpUrl: z.string().meta({ description: 'where MCP clients connect (transport http)' }),
    cluster: z.enum(CLUSTERS),
    rpcUrl: z.string(),
    rpcSubscriptionsUrl: z.string(),
    genesisHash: z.string(),
    programId: address,
    coordinatorPubkey: address,
    feePayerPubkey: address
      .nullable()
      .default(null)
      .meta({ description: 'pays the fees of transactions that relayTransaction takes; null: it takes none' }),
    arbiterPubkey: address
      .nullable()
      .default(null)
      .meta({ description: 'rules disputes of packages whose terms name no other; null: terms have to name one' }),
    termsDocument: z
      .int()
      .default(1)
      .meta({ description: 'newest version of the documents of terms that it takes; 2: with a salt' }),
    pushPublicKey: z
      .string()
      .nullable()
      .default(null)
      .meta({ description: 'applicationServerKey for notices by web push, base64url; null: it sends none' }),
    assets: z
      .array(
        z.strictObject({
          asset: assetName,
          number: z.int().min(0).max(255).meta({ description: 'of its account on the ledger; 0: SOL' }),
          mint: address.nullable().meta({ description: 'of the token; null: SOL' }),
          decimals: z.int().min(0).max(9),
          minAmount: units.meta({ description: 'least budget and stake of a listing' }),
        }),
      )
      .default([])
      .meta({ description: 'what listings can be paid in' }),
    privateParts: z.boolean().default(false).meta({ description: 'whether it keeps private parts of packages' }),
    rewards: z
      .strictObject({ opensAt: timestamp, closesAt: timestamp })
      .meta({ description: 'when reward claims are taken, both ends included' }),
    limits: z.strictObject({
      maxLegs: z.int(),
      handoffRadiusKm: z.number(),
      maxBudgetLamports: lamports,
      bidExpirySec: z.strictObject({ min: z.int(), max: z.int(), default: z.int() }),
      deadlineSec: z.strictObject({ min: z.int(), max: z.int(), default: z.int() }),
      nonceWindowSec: z.int(),
      bodyBytes: z.int(),
      biddingWindowSec: z.strictObject({ min: z.int(), max: z.int(), default: z.int() }),
      liveBidsPerAgent: z.int().meta({ description: 'live bids of one agent on one package' }),
      perMinute: z
        .strictObject({
          toolCalls: z.int(),
          bids: z.int(),
          bidsPerAddress: z.int(),
          writes: z.int(),
          parts: z.int(),
          reads: z.int(),
        })
        .meta({ description: 'requests a minute; 0: no limit' }),
      unsignedCalls: z.enum(['newcomers', 'all', 'none']).meta({
        description:
          'in whose name bids, claims, releases and results are taken unsigned: newcomers: keys that never signed for one; ' +
          'all: also the others, unless they asked for signatures; none: nobody',
      }),
      newcomers: z
        .strictObject({ addressPerDayLamports: lamports, perDayLamports: lamports })
        .meta({ description: 'what the coordinator spends on reputation accounts of agents that have none' }),
      fees: z
        .strictObject({ keyPerDayLamports: lamports, addressPerDayLamports: lamports, perDayLamports: lamports })
        .optional()
        .meta({
          description:
            'what the coordinator spends in 24 hours on fees and token accounts of others; left out: nothing',
        }),
      perHour: z
        .strictObject({ drafts: z.int() })
        .meta({ description: 'listings drafted at one address in an hour; 0: no limit' }),
      webhooks: z
        .strictObject({ perKey: z.int(), perAddress: z.int() })
        .default({ perKey: 0, perAddress: 0 })
        .meta({ description: 'that one key, and one address, may have; 0: no limit' }),
      perDay: z.strictObject({ airdrops: z.int() }).meta({ description: 'of one address in a day; 0: no limit' }),
      sponsoring: z.strictObject({
        taskLamports: lamports,
        posterPerDayLamports: lamports.meta({
          description:
            'of the last 24 hours and what is outstanding from before; signed and unsigned postings count apart',
        }),
        addressPerDayLamports: lamports.meta({
          description: 'of the last 24 hours and what is outstanding from before',
        }),
        perDayLamports: lamports,
        outstandingLamports: lamports.meta({ description: 'advanced and not back yet, in all' }),
        maxDeadlineSec: z.int(),
        needsApiKey: z.boolean(),
      }),
    }),
  }),
});

const ok = z.strictObject({ status: z.literal('ok') });

export const getHealth = operation({
  name: 'getHealth',
  tag: 'meta',
  summary: 'Is the process alive?',
  description: 'Answers as long as the process serves HTTP.',
  limit: 'none',
  method: 'GET',
  path: '/healthz',
  answer: ok,
});

export const getReadiness = operation({
  name: 'getReadiness',
  tag: 'meta',
  summary: 'Can the service do its work?',
  description: 'Checks the database and the ledger; 503 not_ready says which of them does not answer.',
  limit: 'none',
  method: 'GET',
  path: '/readyz',
  answer: ok,
});

/** Longer than any document that a listing can have. */
const LONGEST_DOCUMENT = 60_000;

export const givePapers = operation({
  name: 'givePapers',
  tag: 'meta',
  summary: 'Give back what a listing says, of which the service has only the hash',
  description:
    'A service that lost its database rebuilds listings from the ledger, which has no more of what they say than a hash (documentKnown is ' +
    'false). The document with that hash, from whoever kept it, is taken. Evidence and results are given back by the operations that took them.',
  method: 'POST',
  path: '/papers',
  refuses: ['not_found', 'invalid_status'],
  body: z.strictObject({
    listingId: uuid.meta({ description: 'of the package or the digital task' }),
    document: z
      .string()
      .max(LONGEST_DOCUMENT, { abort: true })
      .regex(/^\{[^\0]*\}$/, 'must be the canonical JSON of an object')
      .meta({ description: 'the canonical JSON whose sha256 is termsHash' }),
  }),
  example: {
    listingId: '0189dcd5-5311-7d40-8db0-9496a2eef37b',
    document:
      '{"description":"…","destination":{"lat":52.5,"lng":13.4},"origin":{"lat":52.5,"lng":13.3},"volumeLitres":3,"weightKg":2}',
  },
  answer: z.strictObject({
    listingId: uuid,
    isNew: z.boolean().meta({ description: 'false: the document was here already' }),
  }),
});
