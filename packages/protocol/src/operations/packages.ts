import { z } from 'zod';
import { PACKAGE_FAILURE_REASONS, PACKAGE_STATUSES } from '../statuses.js';
import {
  address,
  lamports,
  latitude,
  longitude,
  pageQuery,
  solAmount,
  solView,
  text,
  timestamp,
  transactionBase64,
  transactionSignature,
  uuid,
  walletPubkey,
} from '../schemas.js';
import { operation } from './operation.js';
import { swarm } from './swarms.js';

const listedStatus = z.enum(PACKAGE_STATUSES).exclude(['draft']);

/** A package as everybody sees it. */
export const packageView = z.strictObject({
  id: uuid,
  status: listedStatus,
  failureReason: z.enum(PACKAGE_FAILURE_REASONS).nullable(),
  originLat: latitude,
  originLng: longitude,
  destLat: latitude,
  destLng: longitude,
  description: z.string(),
  weightKg: z.number(),
  volumeLitres: z.number(),
  maxBudgetSol: solView,
  maxBudgetLamports: lamports,
  deadline: timestamp,
  shipperPubkey: address,
  funderPubkey: address,
  termsHash: z.string().meta({ description: 'sha256 of the canonical JSON of the terms, hex; stored on-chain' }),
  onChainPackage: address,
  onChainVault: address,
  listSignature: z.string(),
  listedAt: timestamp,
  settleSignature: z.string().nullable(),
  refundLamports: lamports
    .nullable()
    .meta({ description: 'budget minus what the couriers were paid; set at settlement' }),
});

export const packageDetail = packageView.extend({ bids: z.int().min(0), swarm: swarm.nullable() });

export const buildListTx = operation({
  name: 'buildListTx',
  tag: 'packages',
  summary: 'Build the transaction that lists a package',
  description:
    'Stores a draft and answers the unsigned list_package transaction, which locks maxBudgetSol (and the rent of two accounts) ' +
    'from the wallet of the shipper. Sign it, then call submitPackage with the signed transaction, or send it yourself and ' +
    'call submitPackage with its signature, before lastValidBlockHeight.',
  method: 'POST',
  path: '/packages/build-tx',
  body: z.strictObject({
    shipperPubkey: walletPubkey,
    originLat: latitude,
    originLng: longitude,
    destLat: latitude,
    destLng: longitude,
    description: text(4000).min(1),
    weightKg: z.number().positive().max(1_000_000),
    volumeLitres: z.number().positive().max(1_000_000_000),
    maxBudgetSol: solAmount,
    deadline: timestamp.optional().meta({ description: 'default 72 hours from now; 10 minutes to 180 days away' }),
  }),
  answer: z.strictObject({
    packageId: uuid,
    transaction: transactionBase64.meta({ description: 'unsigned, base64' }),
    onChainPackage: address,
    onChainVault: address,
    blockhash: z.string(),
    lastValidBlockHeight: z.int(),
    termsHash: z.string(),
  }),
  status: 201,
});

export const submitPackage = operation({
  name: 'submitPackage',
  tag: 'packages',
  summary: 'List a package whose transaction is signed',
  description:
    'Takes the signed transaction (and sends it) or the signature of one that was sent. The package is listed once the ledger ' +
    'shows list_package with the terms of the draft. Safe to repeat: a package already listed is answered as it is.',
  method: 'POST',
  path: '/packages',
  body: z
    .strictObject({
      packageId: uuid,
      signature: transactionSignature.optional(),
      transaction: transactionBase64.optional(),
    })
    .refine((body) => (body.signature === undefined) !== (body.transaction === undefined), {
      message: 'give either signature or transaction, not both and not neither',
      path: ['signature'],
    }),
  answer: packageDetail,
  status: 201,
});

export const listPackages = operation({
  name: 'listPackages',
  tag: 'packages',
  summary: 'List packages, newest first',
  description: 'Couriers poll it every 10 seconds with status=listed, or follow the events.',
  method: 'GET',
  path: '/packages',
  query: z.strictObject({ status: listedStatus.optional(), shipper: address.optional(), ...pageQuery }),
  answer: z.array(packageView),
  paged: true,
});

export const getPackage = operation({
  name: 'getPackage',
  tag: 'packages',
  summary: 'Read a package with its swarm and legs',
  description: 'The newest swarm of the package with its legs in order; null before the first formation.',
  method: 'GET',
  path: '/packages/:packageId',
  params: z.strictObject({ packageId: uuid }),
  answer: packageDetail,
});
