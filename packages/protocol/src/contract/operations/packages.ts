import { z } from 'zod';
import {
  describedPackage,
  listedPackageStatus,
  newPackage,
  packageDetail,
  packageSummary,
  packageView,
} from '../resources/package.js';
import { askedAmount, checkAmount } from '../amounts.js';
import {
  address,
  byMandateOwner,
  latitude,
  longitude,
  pageQuery,
  placeText,
  proof,
  radiusKm,
  salt,
  solAmount,
  timestamp,
  transactionBase64,
  uuid,
  visibleText,
  walletPubkey,
} from '../schemas.js';
import { requirements, termsChoice } from '../terms.js';
import { EXAMPLE_PACKAGE_ID, EXAMPLE_PARCEL, EXAMPLE_SIGNATURE } from './examples.js';
import { operation } from './operation.js';
import { privateParts } from './personalData.js';
import { packageSearch } from './work.js';
import { decision } from '../resources/decision.js';

/** The most seconds that a package may gather bids before they are evaluated. Rule M-35. */
export const MAX_BIDDING_WINDOW_SEC = 86_400;

/** The poster's description of a parcel. */
const parcel = {
  shipperPubkey: walletPubkey,
  originLat: latitude,
  originLng: longitude,
  destLat: latitude,
  destLng: longitude,
  description: visibleText(4000),
  weightKg: z.number().positive().max(1_000_000).meta({ description: 'kilograms' }),
  volumeLitres: z.number().positive().max(1_000_000_000).meta({ description: 'litres' }),
  maxBudgetSol: solAmount,
  deadline: timestamp.optional().meta({ description: 'default 72 hours from now; 10 minutes to 180 days away' }),
  biddingWindowSec: z.int().min(0).max(MAX_BIDDING_WINDOW_SEC).optional().meta({
    description: 'seconds that bids are gathered, hidden from each other, before one chain is chosen; default 0',
  }),
  terms: termsChoice.optional(),
  requirements: requirements.optional(),
};

const packageParams = z.strictObject({ packageId: uuid });

export const buildListTx = operation({
  name: 'buildListTx',
  tag: 'packages',
  summary: 'Build the transaction that lists a package',
  description:
    'Stores a draft and answers the unsigned list_package transaction, which locks the budget (and the rent of two accounts) ' +
    'from the wallet of the shipper. Sign it, then call submitPackage with the signed transaction, or send it yourself and ' +
    'call submitPackage with its signature, before lastValidBlockHeight.',
  method: 'POST',
  path: '/packages/build-tx',
  body: z
    .strictObject({
      ...parcel,
      ...askedAmount.maxBudget,
      mandateOwnerPubkey: walletPubkey.optional().meta({
        description: 'who pays: the mandate that this owner gave shipperPubkey in the asset; left out: shipperPubkey',
      }),
      private: privateParts.optional(),
      salt: salt.optional().meta({ description: 'random, so that nobody can test guesses against termsHash' }),
    })
    .superRefine(checkAmount('maxBudget')),
  example: EXAMPLE_PARCEL,
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
  refuses: ['wrong_transaction', 'transaction_failed', 'not_confirmed_on_chain', 'invalid_status'],
  body: proof.safeExtend({ packageId: uuid }),
  example: { packageId: EXAMPLE_PACKAGE_ID, signature: EXAMPLE_SIGNATURE },
  answer: packageDetail,
  status: 201,
});

export const listPackages = operation({
  name: 'listPackages',
  tag: 'packages',
  summary: 'List packages, newest first',
  description:
    'Couriers poll it every 10 seconds with status=listed, or follow the events. near keeps packages whose origin lies ' +
    'within radiusKm (default 25) of the place, by great circle. With the arguments of a search, from q to for, it shows only ' +
    'what takes bids now; findWork finds vacant legs and legs of tasks too.',
  method: 'GET',
  path: '/packages',
  query: z
    .strictObject({
      status: listedPackageStatus.optional(),
      shipper: address.optional(),
      near: placeText.optional(),
      radiusKm: radiusKm.optional(),
      ...packageSearch,
      ...pageQuery,
    })
    .refine(({ near, radiusKm: radius }) => radius === undefined || near !== undefined, {
      message: 'is for use with near: give near=latitude,longitude too',
      path: ['radiusKm'],
    }),
  answer: z.array(packageView),
  paged: true,
  tool: {
    name: 'svc_list_packages',
    title: 'List packages',
    description:
      'Packages, newest first: from where to where, weight, volume, budget. status "listed" is what can be bid on now, signed where it has terms. near ' +
      'with radiusKm (default 25) keeps those that start nearby. Next: svc_get_package for one of them, then svc_submit_bid.',
    readOnly: true,
    idempotent: true,
    example: { status: 'listed', near: '52.52,13.405', radiusKm: 10 },
    answer: z.array(packageSummary),
  },
});

export const getPackage = operation({
  name: 'getPackage',
  tag: 'packages',
  summary: 'Read a package with its swarm and legs',
  description: 'The newest swarm of the package with its legs in order; null before the first formation.',
  method: 'GET',
  path: '/packages/:packageId',
  params: packageParams,
  answer: packageDetail,
  tool: {
    name: 'svc_get_package',
    title: 'Read a package',
    description:
      'One package in full, with the number of live bids and its newest swarm: the chosen couriers and their legs. Next: svc_submit_bid while it is listed; svc_confirm_leg once a leg was ' +
      'confirmed on-chain.',
    quotes: true,
    readOnly: true,
    idempotent: true,
    example: { packageId: EXAMPLE_PACKAGE_ID },
    described: describedPackage,
  },
});

const walletAnswer = z.strictObject({
  packageId: uuid,
  signerPubkey: address.meta({ description: 'who has to sign, and pays the fee' }),
  transaction: transactionBase64.meta({ description: 'unsigned, base64' }),
  blockhash: z.string(),
  lastValidBlockHeight: z.int(),
});

export const buildCancelTx = operation({
  name: 'buildCancelTx',
  tag: 'packages',
  summary: 'Build the transaction that cancels a package',
  description:
    'While the package is listed its shipper may cancel: the whole escrow returns to its funder. Sign and send it; the ' +
    'service sees it on the ledger and the package becomes failed, failureReason cancelled.',
  method: 'POST',
  path: '/packages/:packageId/build-cancel-tx',
  refuses: ['invalid_status', 'ledger_reverted'],
  params: packageParams,
  query: byMandateOwner,
  answer: walletAnswer,
});

export const buildReclaimTx = operation({
  name: 'buildReclaimTx',
  tag: 'packages',
  summary: 'Build the transaction that reclaims a package after its deadline',
  description:
    'When the deadline has passed and a leg is still open, the shipper may take back what is left in escrow; at once when the ' +
    'ledger shows a swarm that was begun and not completed. Sign and send it; ' +
    'the package becomes failed, failureReason reclaimed.',
  method: 'POST',
  path: '/packages/:packageId/build-reclaim-tx',
  refuses: ['invalid_status', 'ledger_reverted'],
  params: packageParams,
  query: byMandateOwner,
  answer: walletAnswer,
});

export const buildCloseTx = operation({
  name: 'buildCloseTx',
  tag: 'packages',
  summary: 'Build the transaction that closes the account of an ended package',
  description:
    'Returns most of the rent of the package account to its funder, who signs. Possible once the package is delivered or ' +
    'failed.',
  method: 'POST',
  path: '/packages/:packageId/build-close-tx',
  refuses: ['invalid_status', 'ledger_reverted'],
  params: packageParams,
  query: byMandateOwner,
  answer: walletAnswer,
});

export const postSponsored = operation({
  name: 'postSponsored',
  tag: 'packages',
  summary: 'Post a package that the coordinator funds',
  description:
    "The coordinator signs list_package and locks its own SOL for the shipper's package: the way to try the marketplace " +
    'without a funded wallet. Answers when the ledger has confirmed the listing. Amounts are capped by task, poster, address ' +
    'and day, and the deadline (GET /config). Postings signed by shipperPubkey count apart from unsigned ones in its name. ' +
    'What couriers do not earn returns to the coordinator.',
  auth: 'key',
  method: 'POST',
  path: '/packages/sponsored',
  refuses: ['sponsorship_cap', 'sponsoring_paused', 'transaction_failed'],
  body: z.strictObject({
    ...parcel,
    deadline: timestamp.optional().meta({ description: 'default 72 hours from now; 10 minutes to 7 days away' }),
  }),
  answer: packageDetail,
  status: 201,
  tool: {
    name: 'svc_post_task',
    title: 'Post a package',
    description:
      'Posts a physical delivery that the coordinator pays for: maxBudgetSol is locked in escrow and agents bid for it. Waits ' +
      'for the confirmed listing and answers the package as svc_get_package does. Next: svc_get_package with its id to watch ' +
      'bids and legs.',
    readOnly: false,
    idempotent: false,
    example: EXAMPLE_PARCEL,
    described: newPackage,
  },
});

export const getDecision = operation({
  name: 'getDecision',
  tag: 'packages',
  summary: 'Read why this chain won',
  description:
    'The newest choice of a chain for the package, as it was made: every bid that was considered, with what its agent counted for ' +
    'then, the chain that was chosen, and what each of its legs pays. findBestRoute and allocatePayments of ' +
    '@legwork/protocol/rules choose it again from that. 404 not_found: no chain was chosen yet.',
  method: 'GET',
  path: '/packages/:packageId/decision',
  params: z.strictObject({ packageId: uuid }),
  query: z.strictObject({
    swarmId: uuid.optional().meta({ description: 'an earlier choice, by its swarm: one whose formation failed' }),
  }),
  answer: decision,
  kept: true,
  shared: true,
});
