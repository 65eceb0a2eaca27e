import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toLamports } from '../../src/contract/money.js';
import { artifact } from '../../src/contract/resources/artifact.js';
import { requirements } from '../../src/contract/terms.js';
import { allocatePayments, expectedPaymentLamports } from '../../src/rules/payments.js';
import { findBestRoute } from '../../src/rules/route/bestRoute.js';
import {
  packageTermsDocument,
  packageTermsHash,
  resultHash,
  taskTermsDocument,
  taskTermsHash,
} from '../../src/rules/terms.js';
import { bestOfEveryChain } from '../rules/route/everyChain.js';

const lamports = z.int().transform((wire) => toLamports(BigInt(wire)));
const place = z.strictObject({ lat: z.number(), lng: z.number() });

/** A document of version 2 says so. */
const salted = { salt: z.string().optional(), v: z.literal(2).optional() };

function read<T>(file: string, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(readFileSync(new URL(`../../vectors/${file}`, import.meta.url), 'utf8')));
}

const termsHashes = read(
  'terms-hash.json',
  z.strictObject({
    description: z.string(),
    cases: z.array(
      z.strictObject({
        name: z.string(),
        terms: z.strictObject({
          description: z.string(),
          origin: place,
          destination: place,
          weightKg: z.number(),
          volumeLitres: z.number(),
          requirements: requirements.optional(),
          ...salted,
        }),
        canonicalJson: z.string(),
        sha256Hex: z.string(),
      }),
    ),
  }),
);

describe('the terms-hash vectors', () => {
  it.each(termsHashes.cases)('[M-30, M-78, T-53] agree with the code: $name', ({ terms, canonicalJson, sha256Hex }) => {
    expect(packageTermsDocument(terms)).toBe(canonicalJson);
    expect(packageTermsHash(terms).hex).toBe(sha256Hex);
    expect(createHash('sha256').update(canonicalJson, 'utf8').digest('hex')).toBe(sha256Hex);
    expect(JSON.parse(canonicalJson)).toEqual(terms);
  });
});

const taskTermsHashes = read(
  'task-terms-hash.json',
  z.strictObject({
    description: z.string(),
    cases: z.array(
      z.strictObject({
        name: z.string(),
        terms: z.strictObject({
          title: z.string(),
          description: z.string(),
          instructions: z.array(z.string()),
          requirements: requirements.optional(),
          ...salted,
        }),
        canonicalJson: z.string(),
        sha256Hex: z.string(),
      }),
    ),
  }),
);

describe('the terms-hash vectors of digital tasks', () => {
  it.each(taskTermsHashes.cases)('[M-50, M-78] agree with the code: $name', ({ terms, canonicalJson, sha256Hex }) => {
    expect(taskTermsDocument(terms)).toBe(canonicalJson);
    expect(taskTermsHash(terms).hex).toBe(sha256Hex);
    expect(createHash('sha256').update(canonicalJson, 'utf8').digest('hex')).toBe(sha256Hex);
    expect(JSON.parse(canonicalJson)).toEqual(terms);
  });
});

const resultHashes = read(
  'result-hash.json',
  z.strictObject({
    description: z.string(),
    cases: z.array(
      z.strictObject({
        name: z.string(),
        result: z.string(),
        artifacts: z.array(artifact).optional(),
        canonicalJson: z.string().optional(),
        sha256Hex: z.string(),
      }),
    ),
  }),
);

describe('the result-hash vectors', () => {
  it.each(resultHashes.cases)(
    '[M-58, M-83] agree with the code: $name',
    ({ result, artifacts, canonicalJson, sha256Hex }) => {
      expect(resultHash(result, artifacts).hex).toBe(sha256Hex);
      const hashed = canonicalJson ?? result;
      expect(createHash('sha256').update(hashed, 'utf8').digest('hex')).toBe(sha256Hex);
    },
  );
});

const payments = read(
  'payments.json',
  z.strictObject({
    description: z.string(),
    cases: z.array(
      z.strictObject({
        name: z.string(),
        budgetLamports: lamports,
        bids: z.array(z.strictObject({ costLamports: lamports, rho: z.int() })),
        paymentLamports: z.array(lamports),
        refundLamports: lamports,
        expectedPaymentLamportsOfFirst: lamports,
      }),
    ),
  }),
);

describe('the payment vectors', () => {
  it.each(payments.cases)('[M-26] agree with the code: $name', ({ budgetLamports, bids, ...expected }) => {
    const paid = allocatePayments({ budgetLamports, bids }).map((leg) => leg.paymentLamports);
    expect(paid).toEqual(expected.paymentLamports);
    expect(paid.reduce((sum, payment) => sum + payment, 0n) + expected.refundLamports).toBe(budgetLamports);
    const [first] = bids;
    expect(first && expectedPaymentLamports(budgetLamports, first)).toBe(expected.expectedPaymentLamportsOfFirst);
  });
});

const routes = read(
  'routes.json',
  z.strictObject({
    description: z.string(),
    cases: z.array(
      z.strictObject({
        name: z.string(),
        target: z.strictObject({ origin: place, destination: place, budgetLamports: lamports, minutes: z.int() }),
        bids: z.array(
          z.strictObject({
            id: z.string(),
            agentPubkey: z.string(),
            pickup: place,
            dropoff: place,
            distanceKm: z.number(),
            costLamports: lamports,
            rho: z.int(),
          }),
        ),
        result: z.strictObject({
          bidIds: z.array(z.string()),
          totalLamports: lamports,
          weight: z.string().transform(BigInt),
        }),
      }),
    ),
  }),
);

describe('the route vectors', () => {
  it.each(routes.cases)('[M-24] agree with the code: $name', ({ target: { minutes, ...rest }, bids, result }) => {
    const target = { ...rest, shipperPubkey: 'shipper', deadlineMs: minutes * 60_000 };
    const best = findBestRoute(target, bids, { evaluatedAtMs: 0, now: () => 0 });
    expect(best).toMatchObject({ totalLamports: result.totalLamports, weight: result.weight, exact: true });
    expect(best.bids.map((bid) => bid.id)).toEqual(result.bidIds);
    expect(bestOfEveryChain(target, bids, 0)).toEqual(result.bidIds);
  });
});
