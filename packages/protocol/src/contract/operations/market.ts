import { z } from 'zod';
import { inAsset, units } from '../amounts.js';
import {
  boxText,
  excerpt,
  itemLimit,
  lamports,
  latitude,
  pageQuery,
  solView,
  timestamp,
  transactionSignature,
  uuid,
  wholeNumber,
} from '../schemas.js';
import { reputation } from '../resources/agent.js';
import { operation } from './operation.js';
import { listedPackageStatus } from '../resources/package.js';
import { LEG_STAGES, LEG_STATUSES } from '../statuses.js';
import { decodeBase58, PUBKEY_LENGTH } from '../pubkey.js';
import { EXAMPLE_PACKAGE_ID } from './examples.js';
import { checkEventFilter, eventFilterFields, eventFrame } from '../events.js';

/** Agents on the leaderboard. */
export const LEADERBOARD_SIZE = 20;

const count = z.int().min(0);

export const getLeaderboard = operation({
  name: 'getLeaderboard',
  tag: 'stats',
  summary: 'The 20 most reliable agents',
  description: 'By reliability score; equal scores by legs completed, then by address.',
  method: 'GET',
  path: '/leaderboard',
  answer: z.array(reputation.extend({ rank: z.int().min(1), displayName: z.string().nullable() })),
  tool: {
    name: 'svc_leaderboard',
    title: 'Most reliable agents',
    description:
      'The top 20 agents by on-chain reliability score (0 to 100); ties by legs completed. Takes no arguments. ' +
      'Next: svc_get_reputation for any other agent.',
    quotes: true,
    readOnly: true,
    idempotent: true,
    example: {},
  },
});

const marketCounts = z.strictObject({
  packages: count,
  packagesByStatus: z.strictObject({
    listed: count,
    swarm_forming: count,
    in_transit: count,
    delivered: count,
    failed: count,
  }),
  digitalTasks: count,
  digitalTasksByStatus: z.strictObject({ listed: count, in_progress: count, completed: count, failed: count }),
  swarms: count,
  bids: count,
  agents: count,
  volumeLamports: lamports,
  volumeSol: solView,
});

export const getStats = operation({
  name: 'getStats',
  tag: 'stats',
  summary: 'Counts of everything',
  description:
    'At most a second old; in a large market, where counting takes long, a few seconds. volume is what confirmed legs paid to agents in SOL; assets has what those paid in tokens did.',
  method: 'GET',
  path: '/stats',
  answer: marketCounts.extend({
    escrowLamports: lamports.meta({
      description: 'what the vaults of packages and digital tasks hold, without their rent',
    }),
    assets: z
      .array(z.strictObject({ ...inAsset, volume: units, escrow: units }))
      .default([])
      .meta({ description: 'what listings in tokens paid, and what their vaults hold; never added up' }),
    lastEventSeq: z.int().min(0).meta({
      description:
        'of the newest event that is counted here: give it as since to follow what is not; 0 before the first',
    }),
    medianFormationMs: z.int().min(0).nullable().meta({
      description:
        'from the choice of a chain to its formation on the ledger, median of the last 100; null before the first',
    }),
  }),
  tool: {
    name: 'svc_economy_stats',
    title: 'Counts of the marketplace',
    description:
      'How many packages, digital tasks, swarms, bids and agents there are, and the SOL volume paid to agents. ' +
      'Takes no arguments; at most a second old.',
    readOnly: true,
    idempotent: true,
    example: {},
    answer: z.object(marketCounts.shape),
  },
});

/** Characters of a description that a map shows. */
export const RELAY_EXCERPT_CHARACTERS = 80;

/**
 * Plainer than elsewhere: these rows come by the thousand, and to check again what was checked when it was stored would
 * nearly double the time to write them.
 */
const degrees = z.number().meta({ description: latitude.description });
const agentPubkey = z.string().meta({ description: 'address of a courier, base58' });
const legCount = z.int();

/** A package as a map shows it. */
const relay = z.strictObject({
  id: uuid,
  status: listedPackageStatus,
  description: excerpt(RELAY_EXCERPT_CHARACTERS).meta({ description: 'its first 80 characters' }),
  originLat: degrees,
  originLng: degrees,
  destLat: degrees,
  destLng: degrees,
  legs: z
    .array(
      z.strictObject({
        agentPubkey,
        pickupLat: degrees,
        pickupLng: degrees,
        dropoffLat: degrees,
        dropoffLng: degrees,
        status: z.enum(LEG_STATUSES),
        stage: z.enum(LEG_STAGES).nullable().default(null).meta({ description: 'by its terms; null without any' }),
        completedAt: timestamp.nullable(),
      }),
    )
    .meta({ description: 'of its swarm, in carrying order; empty without one' }),
  completedLegs: legCount,
  totalLegs: legCount,
  holder: agentPubkey.nullable().meta({ description: 'the courier that has the parcel; null unless it is in transit' }),
  legStartedAt: timestamp
    .nullable()
    .meta({ description: 'when the holder got it: the last handoff, or the formation; null without a holder' }),
  estimatedDurationMin: z.int().nullable().meta({ description: "of the holder's leg, minutes; null without a holder" }),
  ...inAsset,
  paid: units.meta({ description: 'what completed legs paid' }),
  paidLamports: lamports.nullable(),
  total: units.nullable().meta({ description: 'what all legs pay; null without a swarm' }),
  totalLamports: lamports.nullable(),
  maxBudget: units,
  maxBudgetLamports: lamports.nullable(),
  listedAt: timestamp,
});
export type Relay = z.output<typeof relay>;

export const listRelays = operation({
  name: 'listRelays',
  tag: 'packages',
  summary: 'List packages as a map shows them, newest first',
  description:
    'One compact row a package: where it starts and ends, the legs of its swarm, who has it and since when. Nobody reports ' +
    'positions: legStartedAt and estimatedDurationMin are all there is to estimate one. Without status: what is listed, forming ' +
    'or in transit, and what was delivered in the last hour. bbox keeps packages that start or end in the area.',
  method: 'GET',
  path: '/relays',
  query: z.strictObject({
    status: listedPackageStatus.optional(),
    bbox: boxText.optional(),
    limit: itemLimit(1000, 500),
  }),
  answer: z.array(relay),
  kept: true,
  shared: true,
});

/** The most that one text can mean. */
export const MAX_LOOKUP_MATCHES = 10;

/** Hexadecimal characters at the beginning or the end of an id that are enough to look it up. */
const LEAST_ID_CHARACTERS = 6;
const ID_CHARACTERS = 32;
/** 32 bytes in base58. */
const MAX_ADDRESS_TEXT = 44;

/** The things that a text can name, by its form; a few texts can name two. */
export interface LookupForms {
  /** The beginning or the end of an id, or all of it, without hyphens. */
  idPart: string | undefined;
  address: string | undefined;
  signature: string | undefined;
}

/** Reads a text that somebody wants to look up. All undefined: it has none of the forms. */
export function readLookup(text: string): LookupForms {
  const hex = text.replaceAll('-', '').toLowerCase();
  const isIdPart = /^[0-9a-f]+$/.test(hex) && hex.length >= LEAST_ID_CHARACTERS && hex.length <= ID_CHARACTERS;
  return {
    idPart: isIdPart ? hex : undefined,
    address: decodeBase58(text, MAX_ADDRESS_TEXT)?.length === PUBKEY_LENGTH ? text : undefined,
    signature: transactionSignature.safeParse(text).success ? text : undefined,
  };
}

const MAX_TEXT = 100;

const lookupText = z
  .string()
  .max(MAX_TEXT, { abort: true })
  .refine(
    (text) => Object.values(readLookup(text)).some((form) => form !== undefined),
    `must be an id or its first or last ${LEAST_ID_CHARACTERS} or more hexadecimal characters, an address or a key in base58, or a transaction signature`,
  )
  .meta({
    pattern: '^(?:[0-9a-fA-F-]{6,36}|[1-9A-HJ-NP-Za-km-z]{32,88})$',
    description: 'an id or its first or last 6 or more characters, an address, a key, or a transaction signature',
    examples: [EXAMPLE_PACKAGE_ID],
  });

const match = z.strictObject({
  kind: z.enum(['package', 'task', 'swarm', 'leg', 'taskLeg', 'agent', 'transaction']),
  id: z.string().meta({ description: 'its id; the key of an agent, the signature of a transaction' }),
  field: z
    .enum([
      'id',
      'agentPubkey',
      'onChainPackage',
      'onChainVault',
      'onChainSwarm',
      'onChainLeg',
      'onChainTask',
      'onChainPDA',
      'signature',
    ])
    .meta({ description: 'which of its fields the text is' }),
  packageId: uuid.nullable().meta({ description: 'the package that it is, or belongs to' }),
  taskId: uuid.nullable().meta({ description: 'the digital task that it is, or belongs to' }),
  title: excerpt(80).nullable().meta({
    description: 'the beginning of the description of its package, the title of its task, the name of the agent',
  }),
});
export type LookupMatch = z.output<typeof match>;

export const lookup = operation({
  name: 'lookup',
  tag: 'lookup',
  summary: 'Find out what an id, a key, an address or a signature is',
  description:
    'Looks among packages, digital tasks, swarms, legs, agents, their accounts on the ledger, and transactions about them. Of an id ' +
    'the first or the last six characters are enough; where several begin or end so, all are listed, the newest first, at most 10. What nobody here ' +
    'knows is an empty list.',
  method: 'GET',
  path: '/lookup/:text',
  params: z.strictObject({ text: lookupText }),
  answer: z.strictObject({ matches: z.array(match).max(MAX_LOOKUP_MATCHES) }),
});

export const listEvents = operation({
  name: 'listEvents',
  tag: 'events',
  summary: 'Read the log of events, newest first, or follow it',
  description:
    'The events of /ws in the same form: all of them, or what the filter keeps. before keeps those with a smaller seq. With near ' +
    'a page may be short, or empty, though Link leads on. To follow the log from here on, connect to /ws with since, the seq of the ' +
    'first event of this list; or ask for this address with Accept: text/event-stream, where since or Last-Event-ID say the same.',
  method: 'GET',
  path: '/events',
  query: z
    .strictObject({
      ...eventFilterFields,
      before: wholeNumber(z.int().min(1)).optional().meta({ description: 'seq of an event' }),
      ...pageQuery,
    })
    .superRefine(checkEventFilter),
  answer: z.array(eventFrame),
  paged: true,
});
