import { z } from 'zod';
import { rewardClaim } from './operations/rewards.js';
import { lamports } from './schemas.js';

/** What an error tells programs besides: members that some codes add to their problem document. */
export const problemExtension = z.strictObject({
  claim: rewardClaim.meta({ description: 'with `already_claimed`: the reward claim that there is' }).optional(),
  devnetEarningsLamports: lamports
    .meta({ description: 'with `earnings_changed`: what the earnings are now' })
    .optional(),
});

/** The same in code form. */
export type ProblemExtension = z.output<typeof problemExtension>;
