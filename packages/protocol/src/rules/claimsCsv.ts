import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { type Lamports, toLamports } from '../contract/money.js';
import { isPubkey } from '../contract/pubkey.js';
import type { RewardClaim } from '../contract/resources/rewardClaim.js';
import { compareClaims } from './rewards.js';

/** A claim as the export shows it; amounts in lamports. */
export type ExportedClaim = Omit<RewardClaim, 'id' | 'explorer'>;

/** An export of reward claims. */
export interface ClaimsCsv {
  readonly csv: string;
  /** Of the UTF-8 bytes, 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** A text that is not an export of claims, or not the canonical one. The message says where and why. */
export class ClaimsCsvError extends Error {
  override readonly name = 'ClaimsCsvError';
}

const LINE_END = '\r\n';

const digits = z.string().regex(/^(?:0|[1-9]\d{0,15})$/, 'must be a whole number in digits, at most 2^53 - 1');
const pubkey = z.string().refine(isPubkey, 'must be a public key in base58');
const signature = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/, 'must be a transaction signature in base58');
const iso = z.iso.datetime({ precision: 3, error: 'must be an instant such as 2026-05-11T00:00:00.000Z' });

const lamports = z.codec(
  digits.refine((text) => Number.isSafeInteger(Number(text)), 'must be at most 2^53 - 1'),
  z.custom<Lamports>((value) => typeof value === 'bigint'),
  { decode: (text) => toLamports(BigInt(text)), encode: String },
);
const count = z.codec(digits, z.int(), { decode: Number, encode: String });
const yesNo = z.codec(z.enum(['true', 'false']), z.boolean(), {
  decode: (text) => text === 'true',
  encode: (value) => (value ? 'true' : 'false'),
});
const instant = z.codec(iso, z.date(), { decode: (text) => new Date(text), encode: (value) => value.toISOString() });
/** A missing value is an empty field. */
const orNothing = <Value>(inner: z.ZodType<Value, string>) =>
  z.codec(z.string(), z.union([z.null(), inner]), {
    decode: (text) => (text === '' ? null : text),
    encode: (text) => text ?? '',
  });

const row = z.strictObject({
  rank: count,
  devnetPubkey: pubkey,
  mainnetPubkey: pubkey,
  mainnetProven: yesNo,
  devnetEarningsLamports: lamports,
  sponsoredLamports: lamports,
  selfFundedLamports: lamports,
  legs: count,
  posters: count,
  lastConfirmSignature: orNothing(signature),
  claimedAt: instant,
  paidSignature: orNothing(signature),
  paidAt: orNothing(instant),
});

/** Of a claim that has more than is exported. Made once: a new schema for every line would take ten times as long. */
const written = row.strip();

/** The columns of the file in their order: fields of {@link row} and what the first line calls them. */
const TITLES: Readonly<Record<keyof z.output<typeof row>, string>> = {
  rank: 'rank',
  devnetPubkey: 'devnet_pubkey',
  mainnetPubkey: 'mainnet_pubkey',
  mainnetProven: 'mainnet_proven',
  devnetEarningsLamports: 'earnings_lamports',
  sponsoredLamports: 'sponsored_lamports',
  selfFundedLamports: 'self_funded_lamports',
  legs: 'legs',
  posters: 'distinct_posters',
  lastConfirmSignature: 'last_confirm_signature',
  claimedAt: 'claimed_at',
  paidSignature: 'paid_signature',
  paidAt: 'paid_at',
};
const FIELDS = Object.keys(TITLES);
const HEADER = Object.values(TITLES).join(',');

/** The first line of an export. */
export const CLAIMS_CSV_HEAD = `${HEADER}${LINE_END}`;

/**
 * Lines of an export, for a caller with more claims than can be written at once: one after another they make what
 * {@link claimsCsv} makes.
 *
 * @param ranked in the order of {@link compareClaims}
 * @param firstRank of the first of them; the claim with the highest earnings has 1
 */
export function claimsCsvLines(ranked: readonly ExportedClaim[], firstRank: number): string {
  return ranked.map((claim, index) => `${writeLine(claim, firstRank + index)}${LINE_END}`).join('');
}

/**
 * The export of all claims, ranked from 1 on: the same bytes for the same claims, in any order. Rule S-68.
 * CSV by RFC 4180, lines ended by CR LF, UTF-8 without byte order mark. No field holds anything that needs quotes: keys and
 * signatures in base58, digits, `true` or `false`, instants in ISO 8601; one that is not there is empty.
 */
export function claimsCsv(claims: readonly ExportedClaim[]): ClaimsCsv {
  const csv = `${CLAIMS_CSV_HEAD}${claimsCsvLines([...claims].sort(compareClaims), 1)}`;
  return { csv, sha256: bytesToHex(sha256(utf8ToBytes(csv))) };
}

/**
 * Reads an export, and takes only what {@link claimsCsv} would write: a reader then knows that it was neither edited into
 * another order nor given a second reading.
 *
 * @returns the claims in the order of their ranks
 * @throws {ClaimsCsvError} naming the line
 */
export function parseClaimsCsv(csv: string): ExportedClaim[] {
  const [header, ...lines] = csv.split(LINE_END);
  if (header !== HEADER) throw new ClaimsCsvError(`line 1 is not ${HEADER}`);
  if (lines.pop() !== '') throw new ClaimsCsvError('the last line does not end in CR LF');
  const claims = lines.map((line, index) => readLine(line, index + 1));
  const canonical = claimsCsv(claims).csv.split(LINE_END);
  const stray = lines.findIndex((line, index) => line !== canonical[index + 1]);
  if (stray !== -1)
    throw new ClaimsCsvError(`line ${stray + 2} is not in the order of the ranks, or not in its plain form`);
  return claims;
}

function writeLine(claim: ExportedClaim, rank: number): string {
  const texts: Readonly<Record<string, string>> = z.encode(written, { ...claim, rank });
  return FIELDS.map((field) => texts[field]).join(',');
}

function readLine(line: string, rank: number): ExportedClaim {
  const texts = line.split(',');
  if (texts.length !== FIELDS.length) {
    throw new ClaimsCsvError(`line ${rank + 1} has ${texts.length} fields; it must have ${FIELDS.length}`);
  }
  const read = row.safeParse(Object.fromEntries(FIELDS.map((field, index) => [field, texts[index]])));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new ClaimsCsvError(`line ${rank + 1}: ${String(issue?.path[0])} ${issue?.message}`);
  }
  const { rank: given, ...claim } = read.data;
  if (given !== rank) throw new ClaimsCsvError(`line ${rank + 1} has rank ${given}; it must be ${rank}`);
  return claim;
}
