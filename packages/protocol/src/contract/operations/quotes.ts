import { z } from 'zod';
import { MAX_TASK_LEGS } from '../resources/digitalTask.js';
import { lamports, latitude, longitude, visibleText } from '../schemas.js';
import { termsChoice } from '../terms.js';
import { operation } from './operation.js';

const places = { originLat: latitude, originLng: longitude, destLat: latitude, destLng: longitude };
const PLACES = Object.keys(places) as (keyof typeof places)[];

const body = z
  .strictObject({
    originLat: latitude.optional(),
    originLng: longitude.optional(),
    destLat: latitude.optional(),
    destLng: longitude.optional(),
    weightKg: z.number().positive().max(1_000_000).optional().meta({ description: 'kilograms' }),
    numLegs: z
      .int()
      .min(1)
      .max(MAX_TASK_LEGS)
      .optional()
      .meta({ description: 'of a digital task, in place of places' }),
    capabilities: z
      .array(visibleText(60))
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'that a digital task requires' }),
    terms: termsChoice.optional(),
  })
  .superRefine((given, context) => {
    const isTask = given.numLegs !== undefined;
    const say = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    for (const field of PLACES) {
      if (!isTask && given[field] === undefined) {
        say(field, 'is required: give all four of the places of a package, or numLegs of a digital task');
      }
      if (isTask && given[field] !== undefined) say(field, 'is of a package; leave it out beside numLegs');
    }
    if (isTask && given.weightKg !== undefined) say('weightKg', 'is of a package; leave it out beside numLegs');
    if (!isTask && given.capabilities !== undefined) say('capabilities', 'are of a digital task: give numLegs');
  });

const onTop = z.strictObject({
  what: z.enum(['rent', 'fee', 'stake']),
  payer: z.enum(['shipper', 'agent']).meta({ description: 'whose wallet it leaves' }),
  lamports: lamports.nullable().meta({ description: 'null: unknown, as the price is' }),
  returnedLamports: lamports.nullable().meta({ description: 'what of it comes back when all goes well' }),
  words: z.string(),
});

export const quote = operation({
  name: 'quote',
  tag: 'quotes',
  summary: 'Ask what a listing would cost',
  description:
    'Of a package (places, and weight if you like) or a digital task (number of legs, and capabilities if you like): what agents ' +
    'would be paid in all, by the like that was settled lately and the scores of today, the range that holds four fifths of those, ' +
    'how long it took until they had it, and what comes on top, by whom. Where nothing like it was settled the price is null. It binds nobody: ' +
    'bids decide. Answers are up to a minute old.',
  method: 'POST',
  path: '/quotes',
  limit: 'reads',
  body,
  example: { originLat: 52.5074, originLng: 13.3326, destLat: 52.5031, destLng: 13.4694, weightKg: 4.5 },
  answer: z.strictObject({
    kind: z.enum(['package', 'task']),
    expectedLamports: lamports.nullable().meta({ description: 'what agents would be paid in all; null: unknown' }),
    lowLamports: lamports.nullable(),
    highLamports: lamports.nullable(),
    distanceKm: z.number().min(0).nullable().meta({ description: 'by great circle; null of a digital task' }),
    agents: z
      .int()
      .min(0)
      .meta({ description: 'who were paid for the like, bid nearby now, or say that they can do it' }),
    formsInSec: z
      .number()
      .min(0)
      .nullable()
      .meta({ description: 'from the listing until agents have it; null: unknown' }),
    onTop: z.array(onTop),
    basis: z.strictObject({
      settled: z.int().min(0).meta({ description: 'from how many settled listings the price was found' }),
      days: z.int().min(1).meta({ description: 'how far back it looks' }),
      words: z.string().meta({ description: 'how the price was found' }),
    }),
  }),
});
