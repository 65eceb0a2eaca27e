import { z } from 'zod';
import {
  type Lamports,
  lamportsFromWire,
  lamportsToSolNumber,
  lamportsToWire,
  MAX_LAMPORTS,
  parseSol,
} from './money.js';
import { decodeBase58, parsePubkey, parseWalletPubkey } from './pubkey.js';
import { FINALITIES } from './statuses.js';

/** Turns a rule function that throws into a Zod refinement whose message is the thrown one. */
export function ruleCheck<T>(rule: (value: T) => unknown): (context: z.core.ParsePayload<T>) => void {
  return (context) => {
    try {
      rule(context.value);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      context.issues.push({ code: 'custom', message: error.message, input: context.value });
    }
  };
}

/** Lamports: an integer 0..2^53-1 on the wire, a bigint in code. */
export const lamports = z
  .codec(
    z.int().min(0),
    z.custom<Lamports>((value) => typeof value === 'bigint'),
    {
      decode: lamportsFromWire,
      encode: lamportsToWire,
    },
  )
  .meta({ description: 'lamports (1 SOL = 1,000,000,000 lamports)' });

/** An amount in SOL, above zero, with at most nine decimals. Rules read it exactly with `parseSol`. */
export const solAmount = z
  .number()
  .check(
    ruleCheck((value: number) => {
      if (parseSol(value) === 0n)
        throw new RangeError('0 SOL is too little; give at least one lamport, 0.000000001 SOL');
    }),
  )
  .meta({
    exclusiveMinimum: 0,
    maximum: lamportsToSolNumber(MAX_LAMPORTS),
    description: 'SOL, above 0, at most nine decimals',
    examples: [0.25],
  });

/** An amount in SOL as an answer shows it; every such field has its lamports twin, which is the exact one. */
export const solView = z.number().min(0).meta({ description: 'SOL' });

/** How sure it is what an answer shows. */
export const finality = z.enum(FINALITIES).meta({
  description: 'whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did',
});

/** An instant: ISO 8601 UTC with milliseconds on the wire, a Date in code. */
export const timestamp = z
  .codec(z.iso.datetime({ offset: true }), z.date(), {
    decode: (wire) => new Date(wire),
    encode: (value) => value.toISOString(),
  })
  .meta({ description: 'ISO 8601, UTC' });

/** 32 bytes in base58; the rules check it, this tells readers of the schema. */
const PUBKEY_TEXT = { pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' };

/** Any 32-byte Solana address in base58. */
export const address = z
  .string()
  .check(ruleCheck((value: string) => parsePubkey(value)))
  .meta({
    ...PUBKEY_TEXT,
    description: 'Solana address, base58',
    examples: ['7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'],
  });

/** The address of a wallet: a point on the curve that someone can sign for, not a program or a sysvar. */
export const walletPubkey = z
  .string()
  .check(ruleCheck((value: string) => parseWalletPubkey(value)))
  .meta({
    ...PUBKEY_TEXT,
    description: 'Solana wallet address, base58',
    examples: ['7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'],
  });

/** The extra input of an exit that the owner of the mandate which paid for the listing signs, in the lister's place. */
export const byMandateOwner = z.strictObject({
  mandateOwnerPubkey: walletPubkey.optional().meta({
    description: 'who signs, where a mandate paid: its owner; left out: who signs for the listing otherwise',
  }),
});

const SIGNATURE_BYTES = 64;
/** 64 bytes in base58 are 64 to 88 characters; longer text is refused before the quadratic decoding. */
const MAX_SIGNATURE_TEXT = 88;

/** A transaction signature in base58 (64 bytes). */
export const transactionSignature = z
  .string()
  .refine(
    (value) => decodeBase58(value, MAX_SIGNATURE_TEXT)?.length === SIGNATURE_BYTES,
    'must be a transaction signature in base58 (64 bytes)',
  )
  .meta({ pattern: '^[1-9A-HJ-NP-Za-km-z]{64,88}$', description: 'transaction signature, base58' });

/** A wire transaction in base64; a transaction has at most 1,232 bytes. */
export const transactionBase64 = z.base64('must be a transaction in base64').min(4).max(1644);

const NO_PROOF =
  'is required, or transaction: give the signature of what you sent, or the signed transaction to be sent';
const TWO_PROOFS = 'give either signature or transaction, not both';

/** Proves a transaction: by the bytes that the caller signed, or by the signature of what it sent itself. Not by both. */
export const proof = z
  .strictObject({
    signature: transactionSignature.optional().meta({ description: 'of the transaction that you sent, base58' }),
    transaction: transactionBase64.optional().meta({ description: 'signed, base64; the service sends it' }),
  })
  .superRefine(({ signature, transaction }, context) => {
    if ((signature === undefined) !== (transaction === undefined)) return;
    const message = signature === undefined ? NO_PROOF : TWO_PROOFS;
    context.addIssue({ code: 'custom', message, path: ['signature'] });
  });

/** The address of a page that shows something of the ledger. */
export const link = z.url();

/** Addresses of pages that show what the fields of the same names hold. */
export const explorerLinks = <Shape extends Record<string, typeof link | z.ZodNullable<typeof link>>>(shape: Shape) =>
  z.strictObject(shape).meta({ description: EXPLORER_LINKS });
export const EXPLORER_LINKS = 'pages that show the fields of the same names';

/** The salt of a listing, which the hash on the ledger is made with. */
export const salt = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'must be 128 random bits in 32 lower-case hexadecimal digits')
  .meta({ pattern: '^[0-9a-f]{32}$' });

/** A sha256, as documents hold it. */
export const sha256Hex = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be a sha256 in 64 lower-case hexadecimal digits')
  .meta({ pattern: '^[0-9a-f]{64}$' });

/** A UUID; upper case is taken and means the same. */
export const uuid = z.uuid('must be a UUID').toLowerCase();
export const latitude = z.number().min(-90).max(90).meta({ description: 'degrees, WGS 84' });
export const longitude = z.number().min(-180).max(180).meta({ description: 'degrees, WGS 84' });
export const place = z.strictObject({ lat: latitude, lng: longitude });

/** The characters that text must not have, in an expression that readers of every language understand; tag characters need more. */
const PRINTABLE = { pattern: '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069]*$' };
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Characters that turn the direction of what stands around them, and tags, which people do not see and models read. */
const DISGUISE = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

/**
 * Text of at most `max` characters that people and models read beside others' text. Control characters but tab and line breaks are
 * refused, and what shows something else than it says.
 */
export const text = (max: number) =>
  z
    .string()
    .max(max, { abort: true })
    .regex(/^(?:[\t\n\r]|\P{Cc})*$/u, 'must not contain control characters')
    .refine((value) => !LONE_SURROGATE.test(value), 'must be well-formed Unicode')
    .refine(
      (value) => !DISGUISE.test(value),
      'must not contain characters that override the direction of text, or tag characters',
    )
    .meta(PRINTABLE);

const SOMETHING_VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Text that says something: nobody could do anything about a blank one. Rule M-73. */
export const visibleText = (max: number) =>
  text(max)
    .min(1)
    .refine((value) => value === '' || SOMETHING_VISIBLE.test(value), 'must not be blank');

/** Bytes of UTF-8 that a result may have. */
export const MAX_RESULT_BYTES = 256 * 1024;

const utf8 = new TextEncoder();

/** The result that an agent hands in: well-formed text of 1 to {@link MAX_RESULT_BYTES} bytes in UTF-8, without NUL. Rule M-58. */
export const resultText = z
  .string()
  .min(1)
  .max(MAX_RESULT_BYTES, { abort: true })
  .regex(/^[^\0\uD800-\uDFFF]*$/u, 'must be well-formed Unicode without NUL characters')
  .refine(
    (value) => utf8.encode(value).length <= MAX_RESULT_BYTES,
    `must have at most ${MAX_RESULT_BYTES} bytes in UTF-8`,
  )
  .meta({ pattern: '^[^\\x00]*$', description: 'text, at most 256 KiB in UTF-8' });

/** Text that an answer shows the beginning of: at most `max` characters, the last one `…` when something was left out. */
export const excerpt = (max: number) =>
  z.codec(z.string(), z.string(), {
    decode: (wire) => wire,
    encode: (whole) => (whole.length <= max ? whole : `${whole.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`),
  });

/** A yes or no, which in a query travels as text. */
export const flag = z.preprocess((given: boolean): unknown => {
  const sent: unknown = given;
  return sent === 'true' ? true : sent === 'false' ? false : sent;
}, z.boolean('must be true or false'));

/**
 * The whole number of a query parameter, which travels as text. Only digits count: `Number` alone would take `0x10`, `1e1`
 * and empty text too.
 */
export const wholeNumber = <T extends z.ZodType>(schema: T) =>
  z.preprocess((given: number): unknown => {
    const sent: unknown = given;
    return typeof sent === 'string' && /^-?\d+$/.test(sent) ? Number(sent) : sent;
  }, schema);

/** The message for a value of another type. One out of range gets the words of the range. */
const ofAnotherType = (message: string) => ({
  error: ({ code }: z.core.$ZodRawIssue) => (code === 'invalid_type' ? message : undefined),
});

const DEGREES = '-?\\d{1,3}(?:\\.\\d{1,15})?';
const COORDINATE = new RegExp(`^(${DEGREES}),(${DEGREES})$`);
const BOX = new RegExp(`^(${DEGREES}),(${DEGREES}),(${DEGREES}),(${DEGREES})$`);

/** A place in a query: `lat,lng` in degrees. */
export const placeText = z
  .string()
  .refine((value) => {
    const [, lat, lng] = COORDINATE.exec(value) ?? [];
    return lat !== undefined && lng !== undefined && Math.abs(Number(lat)) <= 90 && Math.abs(Number(lng)) <= 180;
  }, 'must be latitude,longitude in degrees, for example 52.52,13.405')
  .meta({
    pattern: COORDINATE.source,
    description: 'latitude,longitude in degrees, WGS 84',
    examples: ['52.52,13.405'],
  });

/** Reads what {@link placeText} let through. */
export function parsePlace(value: string): { lat: number; lng: number } {
  const [lat, lng] = value.split(',').map(Number);
  if (lat === undefined || lng === undefined) throw new RangeError('a place is latitude,longitude');
  return { lat, lng };
}

/** An area in a query: `west,south,east,north` in degrees. With west above east it crosses the antimeridian. */
export const boxText = z
  .string()
  .refine((value) => {
    const [west, south, east, north] = (BOX.exec(value) ?? []).slice(1).map(Number);
    if (west === undefined || south === undefined || east === undefined || north === undefined) return false;
    return Math.abs(west) <= 180 && Math.abs(east) <= 180 && south >= -90 && south <= north && north <= 90;
  }, 'must be west,south,east,north in degrees, south not above north, for example 13.1,52.3,13.8,52.7')
  .meta({
    pattern: BOX.source,
    description: 'west,south,east,north in degrees, WGS 84; west above east: across the antimeridian',
    examples: ['13.1,52.3,13.8,52.7'],
  });

/** Reads what {@link boxText} let through. */
export function parseBox(value: string): { west: number; south: number; east: number; north: number } {
  const [west, south, east, north] = value.split(',').map(Number);
  if (west === undefined || south === undefined || east === undefined || north === undefined) {
    throw new RangeError('a box is west,south,east,north');
  }
  return { west, south, east, north };
}

/** Half the circumference of the earth, rounded up. */
export const MAX_RADIUS_KM = 20_040;

/** Kilometres in a query: digits with at most three decimals, above 0, at most half the circumference of the earth. */
export const radiusKm = z
  .preprocess(
    (given: number): unknown => {
      const sent: unknown = given;
      return typeof sent === 'string' && /^\d{1,5}(?:\.\d{1,3})?$/.test(sent) ? Number(sent) : sent;
    },
    z.number(ofAnotherType('must be kilometres in digits')).positive().max(MAX_RADIUS_KM),
  )
  .meta({ description: 'kilometres' });

/** How many items a list shows. */
export const itemLimit = (max: number, usual: number) =>
  wholeNumber(z.int(ofAnotherType('must be a whole number, in digits')).min(1).max(max).default(usual));

/** A page of a list: `limit` items after `cursor`, which is what the previous answer's Link header carried. */
export const pageQuery = {
  limit: itemLimit(200, 50),
  cursor: z.string().max(200).optional(),
};
