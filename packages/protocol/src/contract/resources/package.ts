import { z } from 'zod';
import { FAILURE_REASONS, PACKAGE_STATUSES } from '../statuses.js';
import { inAsset, units } from '../amounts.js';
import {
  address,
  explorerLinks,
  finality,
  lamports,
  latitude,
  link,
  longitude,
  salt,
  sha256Hex,
  solView,
  timestamp,
  uuid,
} from '../schemas.js';
import { requirements, TERMS, terms } from '../terms.js';
import { swarm, swarmInShort } from './swarm.js';

/** Statuses that a package can be shown with. */
export const listedPackageStatus = z.enum(PACKAGE_STATUSES).exclude(['draft']);

/** A package as everybody sees it. */
export const packageView = z.strictObject({
  id: uuid,
  status: listedPackageStatus,
  failureReason: z.enum(FAILURE_REASONS).nullable(),
  finality,
  originLat: latitude,
  originLng: longitude,
  destLat: latitude,
  destLng: longitude,
  description: z.string(),
  weightKg: z.number(),
  volumeLitres: z.number(),
  ...inAsset,
  maxBudget: units,
  maxBudgetSol: solView.nullable(),
  maxBudgetLamports: lamports.nullable(),
  deadline: timestamp,
  shipperPubkey: address,
  funderPubkey: address,
  termsHash: z.string().meta({ description: 'sha256 of the canonical JSON of the terms, hex; stored on-chain' }),
  onChainPackage: address,
  onChainVault: address,
  listSignature: z.string(),
  listedAt: timestamp,
  settleSignature: z.string().nullable(),
  refund: units.nullable().meta({ description: 'budget minus what the couriers were paid; set at settlement' }),
  refundLamports: lamports.nullable(),
  endSignature: z.string().nullable().meta({ description: 'of the transaction that cancelled or reclaimed it' }),
  biddingWindowSec: z.int().min(0),
  biddingClosesAt: timestamp
    .nullable()
    .meta({ description: 'bids are evaluated when the window closes; null: at once' }),
  terms: terms.nullable().default(null),
  requirements: requirements.nullable().default(null),
  erasedAt: timestamp
    .nullable()
    .default(null)
    .meta({ description: 'when its personal data was erased; null: it was not' }),
  documentKnown: z.boolean().default(true).meta({
    description: 'false: rebuilt from the ledger; what it says is not known',
  }),
});
export type PackageView = z.output<typeof packageView>;

/** One package with its newest swarm. */
export const packageDetail = packageView.extend({
  bids: z.int().min(0).meta({ description: 'live bids' }),
  swarm: swarm.nullable(),
  salt: salt
    .nullable()
    .default(null)
    .meta({ description: 'of the document that termsHash is of; null: listed without one, or erased' }),
  privateHashes: z
    .strictObject({ pickup: sha256Hex.nullable(), dropoff: sha256Hex.nullable() })
    .nullable()
    .default(null)
    .meta({ description: 'in that document, of the private parts; null: it has none' }),
  explorer: explorerLinks({
    onChainPackage: link,
    onChainVault: link,
    listSignature: link,
    settleSignature: link.nullable(),
    endSignature: link.nullable(),
  }),
});
export type PackageDetail = z.output<typeof packageDetail>;

/** A package as the list of tools describes it: without what its explorer, the ledger and clients with keys need. */
export const describedPackage = packageDetail
  .omit({ termsHash: true, salt: true, privateHashes: true, erasedAt: true, documentKnown: true })
  .extend({ swarm: swarmInShort.nullable() });

/** The part of a package that its poster needs just after listing it. */
export const newPackage = packageDetail.pick({
  id: true,
  status: true,
  finality: true,
  asset: true,
  decimals: true,
  maxBudget: true,
  maxBudgetLamports: true,
  deadline: true,
  onChainPackage: true,
  onChainVault: true,
  listSignature: true,
  explorer: true,
});

/** The part of the terms that a courier looking for work needs first. */
const termsSummary = z
  .object(terms.pick({ arbiterPubkey: true, stake: true, stakeLamports: true, carrySec: true, reviewSec: true }).shape)
  .meta({ description: TERMS });

/** The part of a package that lists show a model: enough to choose one to read. */
export const packageSummary = z.object(
  packageView
    .pick({
      id: true,
      status: true,
      finality: true,
      originLat: true,
      originLng: true,
      destLat: true,
      destLng: true,
      weightKg: true,
      volumeLitres: true,
      asset: true,
      decimals: true,
      maxBudget: true,
      maxBudgetSol: true,
      maxBudgetLamports: true,
      deadline: true,
      biddingClosesAt: true,
      requirements: true,
      shipperPubkey: true,
      onChainPackage: true,
      onChainVault: true,
    })
    .extend({ terms: termsSummary.nullable().default(null) }).shape,
);
