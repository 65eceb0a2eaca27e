import { z } from 'zod';
import { type Lamports, LONGEST_NAME, SOL, toLamports, unitsFromWire } from './money.js';
import { parsePubkey } from './pubkey.js';
import { ruleCheck, solAmount } from './schemas.js';

/**
 * An amount in base units of a listing's asset, such as lamports of SOL or millionths of USDC: decimal digits on the wire, a bigint
 * in code. Fields that end in Lamports or Sol say the same of listings in SOL, and are null of others.
 */
export const units = z
  .codec(
    z
      .string()
      .regex(/^(0|[1-9][0-9]{0,15})$/, 'must be a whole number of base units in decimal digits, such as "1500000"'),
    z.custom<Lamports>((value) => typeof value === 'bigint'),
    { decode: unitsFromWire, encode: (value) => toLamports(value).toString() },
  )
  .meta({ description: 'base units of the asset, in decimal digits' });

/** A name, of at most {@link LONGEST_NAME} characters, or base58 of about the length of an address. */
const ASSET_NAME = /^(?:[a-z][a-z0-9]{1,9}|[1-9A-HJ-NP-Za-km-z]{32,44})$/;

/** The asset that a listing is paid in: `sol`, or a token by the service's name for it, else by its mint. */
export const assetName = z
  .string()
  .regex(ASSET_NAME, 'must be the name of an asset, such as sol or usdc, or the mint of a token')
  .check(
    ruleCheck((text: string) => {
      if (text.length > LONGEST_NAME) parsePubkey(text);
    }),
  )
  .meta({ pattern: '^\\w{2,}$', description: 'sol, usdc, or a mint' });

/** The asset that amounts of a listing are in. */
export const inAsset = {
  asset: assetName.default(SOL.asset),
  decimals: z
    .int()
    .min(0)
    .max(9)
    .default(SOL.decimals)
    .meta({ description: 'of the asset: one has 10^decimals base units, which amounts count' }),
};

/** The amounts that a caller can give in SOL or, of a token, in base units: `costSol` or `cost`. */
export type AskedAmount = 'maxBudget' | 'cost' | 'bid';

/** The two fields of {@link AskedAmount}; a body that has them is checked by {@link checkAmount}. */
export const askedAmount = {
  maxBudget: {
    maxBudgetSol: solAmount.optional(),
    maxBudget: units.optional().meta({ description: 'in place of maxBudgetSol: base units of the asset' }),
    asset: assetName.optional().meta({ description: 'what it pays in: sol, or a token that GET /config names' }),
  },
  cost: {
    costSol: solAmount.optional(),
    cost: units.optional().meta({ description: "in place of costSol: base units of the package's asset" }),
  },
  bid: {
    bidSol: solAmount.optional(),
    bid: units.optional().meta({ description: "in place of bidSol: base units of the task's asset" }),
  },
};

/** Refuses an amount that is given twice, or not at all, and one in SOL of something else. Rule M-92. */
export function checkAmount(name: AskedAmount): (body: object, context: z.core.$RefinementCtx) => void {
  return (body, context) => {
    const given: Readonly<Record<string, unknown>> = { ...body };
    const sol = `${name}Sol` as const;
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (given[sol] === undefined && given[name] === undefined) {
      refuse(sol, `is required: give the amount in SOL, or in base units of a token as ${name}`);
    }
    if (given[sol] !== undefined && given[name] !== undefined) {
      refuse(name, `cannot be given with ${sol}: an amount is said once`);
    }
    if (given[name] === 0n) refuse(name, 'is 0; give at least one base unit');
    // Input that names no asset at all is refused for that.
    const asset = assetName.safeParse(given['asset'] ?? SOL.asset);
    if (given[sol] !== undefined && asset.success && asset.data !== SOL.asset) {
      refuse('asset', `is not SOL, and ${sol} is; give ${name} in its base units`);
    }
  };
}
