import { z } from 'zod';
import { units } from './amounts.js';
import { address, lamports, solAmount, visibleText } from './schemas.js';

/** Terms by name. `plain`: none, as if terms did not exist. Rule T-50. */
export const TERMS_PRESETS = ['plain', 'standard', 'guarded'] as const;
export type TermsPreset = (typeof TERMS_PRESETS)[number];

/** The least and the most seconds of each of the four clocks. Rule T-3. */
export const MIN_CLOCK_SEC = 300;
export const MAX_CLOCK_SEC = 30 * 86_400;

/** How many couriers a shipper may refuse. Rule T-53. */
const MAX_BLOCKED = 20;
const MAX_CAPABILITIES = 20;

const clock = (what: string) => z.int().min(MIN_CLOCK_SEC).max(MAX_CLOCK_SEC).meta({ description: what });

const carrySec = clock(
  'seconds from the turn of a leg to its pickup, and from pickup to handoff or claim; of a task from acceptance to claim',
);
const handoffSec = clock('seconds to accept a leg, and to take over from a courier who claims to be there');
const reviewSec = clock('seconds to contradict a claim');
const arbitrationSec = clock('seconds to rule a dispute');

/** The list of tools' words for the terms of a listing, in place of their fields. */
export const TERMS = 'what binds both sides: stake, clocks, arbiter; null: nothing does';

/** The terms that bind both sides of a listing. They never change. */
export const terms = z
  .strictObject({
    receiverPubkey: address
      .nullable()
      .meta({ description: "confirms and disputes in the shipper's place; null: nobody does" }),
    arbiterPubkey: address.meta({ description: 'rules disputes' }),
    stake: units.meta({ description: 'what a courier posts when it accepts, and who disputes its claim' }),
    stakeLamports: lamports.nullable(),
    carrySec,
    handoffSec,
    reviewSec,
    arbitrationSec,
    cosignedPickup: z.boolean().meta({ description: 'the shipper signs the first pickup too; false of tasks' }),
  })
  .meta({ description: TERMS });
export type Terms = z.output<typeof terms>;

/** The list of tools' words for terms that are not a preset's, in place of their fields. */
export const OWN_TERMS =
  'preset, and of your own: receiverPubkey, arbiterPubkey, stakeSol or stake (base units), carrySec, handoffSec, reviewSec, arbitrationSec, cosignedPickup';

/** Terms by preset, with fields of its own. */
export const ownTerms = z
  .strictObject({
    preset: z.enum(TERMS_PRESETS).exclude(['plain']).optional().meta({ description: 'default standard' }),
    receiverPubkey: address.optional().meta({ description: "confirms and disputes in the shipper's place" }),
    arbiterPubkey: address.optional().meta({ description: 'default: the arbiter that GET /config names' }),
    stakeSol: solAmount.optional(),
    stake: units.optional(),
    carrySec: carrySec.optional(),
    handoffSec: handoffSec.optional(),
    reviewSec: reviewSec.optional(),
    arbitrationSec: arbitrationSec.optional(),
    cosignedPickup: z.boolean().optional(),
  })
  .meta({ description: OWN_TERMS });

/** Terms as a poster asks for them: by name, or by name with fields of its own. */
export const termsChoice = z
  .union([z.enum(TERMS_PRESETS), ownTerms], {
    error: `must be one of ${TERMS_PRESETS.join(', ')}, or an object: ${OWN_TERMS}`,
  })
  .meta({
    description:
      'plain (the default): none; standard or guarded: who works posts a stake, silence has an end, disputes are ruled',
  });
export type TermsChoice = z.output<typeof termsChoice>;

/** The list of tools' words for the requirements of a listing, in place of their fields. */
export const REQUIREMENTS =
  'what an agent must have to be chosen: minScore (percent), minCompleted (legs), capabilities, blocked (keys that get no leg)';

/** The requirements on agents to be considered. They guide the service's own choice among bids, not the ledger. */
export const requirements = z
  .strictObject({
    minScore: z.int().min(0).max(100).optional().meta({ description: 'least reliability score, percent' }),
    minCompleted: z.int().min(0).max(1_000_000).optional().meta({ description: 'fewest completed legs' }),
    capabilities: z
      .array(visibleText(60))
      .min(1)
      .max(MAX_CAPABILITIES)
      .optional()
      .meta({ description: 'what its registration must name, all of them' }),
    blocked: z
      .array(address)
      .min(1)
      .max(MAX_BLOCKED)
      .optional()
      .meta({ description: 'keys that get no leg of it. Everybody can read this list' }),
  })
  .refine((given) => Object.values(given).some((value) => value !== undefined), {
    message: 'must require something; leave it out otherwise',
    // A fault of its fields says enough.
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ description: REQUIREMENTS });
export type Requirements = z.output<typeof requirements>;
