import { z } from 'zod';
import { lamportsToSolNumber, MAX_LAMPORTS, parseSol } from '../money.js';
import { assetName, inAsset, units } from '../amounts.js';
import {
  address,
  flag,
  lamports,
  latitude,
  longitude,
  pageQuery,
  placeText,
  radiusKm,
  solView,
  timestamp,
  uuid,
  visibleText,
} from '../schemas.js';
import { requirements, terms } from '../terms.js';
import { operation } from './operation.js';

/** Most characters of a question for words. */
const MAX_QUESTION = 200;

/** An amount in a query, which travels as text: digits, with at most nine decimals. */
const solQuery = (description: string) =>
  z
    .preprocess((given: number): unknown => {
      const sent: unknown = given;
      return typeof sent === 'string' && /^\d{1,9}(?:\.\d{1,9})?$/.test(sent) ? Number(sent) : sent;
    }, z.number('must be SOL in digits, with at most nine decimals, for example 0.25').min(0))
    .refine((value) => isSol(value), 'must be an amount that there is, with at most nine decimals')
    .meta({ description, maximum: lamportsToSolNumber(MAX_LAMPORTS) })
    .optional();

function isSol(value: number): boolean {
  try {
    return parseSol(value) >= 0n;
  } catch {
    return false;
  }
}

/** An instant at which a deadline may lie. */
const deadline = timestamp.refine((at) => at.getUTCFullYear() >= 2000 && at.getUTCFullYear() < 3000, {
  message: 'must be an instant from the year 2000 to 2999, where deadlines lie',
});

/** The criteria of a search for work; a list of listings takes these too, and then shows only open ones. Rule M-84. */
export const taskSearch = {
  q: visibleText(MAX_QUESTION).optional().meta({ description: 'words of its texts' }),
  capability: visibleText(60).optional().meta({ description: 'that it requires' }),
  minPaySol: solQuery('least pay, SOL'),
  maxStakeSol: solQuery('most stake, SOL'),
  hasTerms: flag.optional(),
  asset: assetName.optional().meta({ description: 'what it pays in' }),
  deadlineAfter: deadline.optional(),
  deadlineBefore: deadline.optional(),
  for: address.optional().meta({ description: 'key of who may take it now' }),
};
export const packageSearch = {
  ...taskSearch,
  minPaySolPerKm: solQuery('least pay a km, SOL'),
};

/** Kinds of work. */
const WORK_KINDS = ['package', 'opening', 'leg'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

const openWork = z.strictObject({
  kind: z.enum(WORK_KINDS).meta({
    description: 'package: takes bids; opening: its vacant leg takes bids; leg: of a digital task, can be claimed',
  }),
  packageId: uuid.nullable().meta({ description: 'null of legs of tasks' }),
  taskId: uuid.nullable(),
  legId: uuid.nullable().meta({ description: 'null of packages' }),
  legIndex: z.int().min(0).nullable(),
  isWorkable: z
    .boolean()
    .meta({ description: 'false: the leg before is not completed, and a claim reserves this one' }),
  shipperPubkey: address,
  title: z.string().nullable().meta({ description: 'of the digital task' }),
  text: z.string().meta({ description: "the package's description, or the instruction of the leg" }),
  ...inAsset,
  maxPay: units.meta({ description: 'the most that it pays: a budget, a share, the most that a bid may ask' }),
  maxPaySol: solView.nullable(),
  maxPayLamports: lamports.nullable(),
  originLat: latitude.nullable(),
  originLng: longitude.nullable(),
  destLat: latitude.nullable(),
  destLng: longitude.nullable(),
  distanceKm: z.number().min(0).nullable().meta({ description: 'from origin to destination by great circle' }),
  weightKg: z.number().nullable(),
  volumeLitres: z.number().nullable(),
  hasTerms: z.boolean(),
  stake: units.meta({ description: 'what its terms have the agent post; 0 without' }),
  stakeLamports: lamports.nullable(),
  terms: terms.nullable(),
  requirements: requirements.nullable(),
  deadline: timestamp,
  closesAt: timestamp.meta({ description: 'from when on nobody can bid or claim' }),
  biddingClosesAt: timestamp
    .nullable()
    .meta({ description: 'of a package whose bids are gathered: when they are evaluated; else null' }),
  claimTimeoutSec: z
    .int()
    .nullable()
    .meta({ description: 'seconds that an agent has for the leg of a task once it is assigned; of packages null' }),
});
export type OpenWork = z.output<typeof openWork>;

export const findWork = operation({
  name: 'findWork',
  tag: 'work',
  summary: 'Find work that is open to an agent',
  description:
    'One search over packages that take bids, vacant legs of packages, and legs of digital tasks that can be claimed, newest ' +
    'listings first. q finds words in descriptions, titles and instructions, all of them, whatever their accents and endings, in ' +
    'any language. near keeps what starts within radiusKm (default 25), so nothing digital. minPaySolPerKm counts at least one kilometre. for keeps what this ' +
    'agent may take now: requirements met, not its own, not barred, its stake in its wallet, room for a leg that waits. ' +
    'Next: submitBid with packageId (and legId of an opening), or bidDigitalLeg.',
  method: 'GET',
  path: '/work',
  query: z
    .strictObject({
      kind: z.enum(WORK_KINDS).optional(),
      ...packageSearch,
      near: placeText.optional(),
      radiusKm: radiusKm.optional(),
      ...pageQuery,
    })
    .refine(({ near, radiusKm: radius }) => radius === undefined || near !== undefined, {
      message: 'is for use with near: give near=latitude,longitude too',
      path: ['radiusKm'],
    }),
  answer: z.array(openWork),
  paged: true,
});
