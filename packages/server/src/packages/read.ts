import { type Assets, inAsset, lamportsOf, solOf } from '../ledger/assets.js';
import { explorerLink, type PackageDetail, type PackageView, parsePlace } from '@legwork/protocol/contract';
import { type ListedPackageRow, countPackages, pageOfPackages } from './packageRows.js';
import { PACKAGE, requirePackage } from '../listings/kinds.js';
import type { AppContext } from '../context.js';
import { countBids } from '../bids/bidRows.js';
import { DEFAULT_RADIUS_KM } from '../db/near.js';
import { finalityOf, type NotFinal, readNotFinal } from '../db/finality.js';
import { packageSubject } from '../db/listings.js';
import { newestSwarm, readFormations, withFormation } from './swarmRows.js';
import { inSnapshot } from '../db/transaction.js';
import { readTerms } from '../ledger/terms.js';
import { transactionLink, viewSwarm } from '../legs/read.js';
import type { In, Out } from '../operations/run.js';
import { cutPage, idPosition, readCursor } from '../operations/cursor.js';
import { foundBy } from '../work/search.js';
import { readEscrow } from '../money/escrow.js';

/**
 * The package with its swarm and legs, all read in one snapshot: else a swarm that fails between two reads would contradict
 * the status of its package.
 *
 * @throws LegworkError `not_found`
 */
export async function readPackage(
  { db, ledger, shownLedger, clock }: Pick<AppContext, 'db' | 'ledger' | 'shownLedger' | 'clock'>,
  packageId: string,
): Promise<PackageDetail> {
  const [row, swarm, formedAt, bids, notFinal] = await inSnapshot(db, (trx) =>
    Promise.all([
      requirePackage(trx, packageId),
      newestSwarm(trx, packageId),
      readFormations(trx, packageId),
      countBids(trx, packageId),
      readNotFinal(trx, [packageSubject(packageId)]),
    ]),
  );
  const seen = { assets: ledger.assets, terms: row.terms, now: clock() };
  const shown = viewPackage(ledger.assets, row, notFinal);
  return {
    ...shown,
    bids,
    salt: row.salt,
    privateHashes: row.private_hashes,
    swarm: swarm ? viewSwarm(shownLedger, withFormation(swarm, formedAt), notFinal, seen) : null,
    explorer: {
      onChainPackage: explorerLink(shownLedger, 'address', shown.onChainPackage),
      onChainVault: explorerLink(shownLedger, 'address', shown.onChainVault),
      listSignature: explorerLink(shownLedger, 'tx', shown.listSignature),
      settleSignature: transactionLink(shownLedger, shown.settleSignature),
      endSignature: transactionLink(shownLedger, shown.endSignature),
    },
  };
}

/** @param notFinal of this package, and maybe of others */
function viewPackage(assets: Assets, row: ListedPackageRow, notFinal: NotFinal): PackageView {
  if (row.list_signature === null || row.listed_at === null) {
    throw new Error(`package ${row.id} is ${row.status} without a listing`);
  }
  return {
    id: row.id,
    status: row.status,
    failureReason: row.failure_reason,
    finality: finalityOf(notFinal, packageSubject(row.id)),
    originLat: row.origin_lat,
    originLng: row.origin_lng,
    destLat: row.dest_lat,
    destLng: row.dest_lng,
    description: row.description,
    weightKg: row.weight_kg,
    volumeLitres: row.volume_litres,
    ...inAsset(assets, row),
    maxBudget: row.max_budget_lamports,
    maxBudgetSol: solOf(row, row.max_budget_lamports),
    maxBudgetLamports: lamportsOf(row, row.max_budget_lamports),
    deadline: row.deadline,
    shipperPubkey: row.shipper_pubkey,
    funderPubkey: row.funder_pubkey,
    termsHash: row.terms_hash,
    onChainPackage: row.on_chain_package,
    onChainVault: row.on_chain_vault,
    listSignature: row.list_signature,
    listedAt: row.listed_at,
    settleSignature: row.settle_signature,
    refund: row.refund_lamports,
    refundLamports: row.refund_lamports && lamportsOf(row, row.refund_lamports),
    endSignature: row.end_signature,
    biddingWindowSec: row.bidding_window_sec,
    biddingClosesAt: row.bidding_closes_at,
    terms: row.terms && readTerms(row.terms, row),
    requirements: row.requirements,
    erasedAt: row.erased_at,
    documentKnown: row.document_known,
  };
}

export async function getPackage(context: AppContext, { packageId }: In<'getPackage'>): Out<'getPackage'> {
  return { answer: await readPackage(context, packageId) };
}

export async function listPackages(context: AppContext, input: In<'listPackages'>): Out<'listPackages'> {
  const { db } = context;
  const { status, shipper, near, radiusKm = DEFAULT_RADIUS_KM, limit, cursor, ...search } = input;
  const around = near === undefined ? undefined : { center: parsePlace(near), radiusKm };
  const filter = {
    status,
    shipper,
    near: around,
    found: await foundBy(context, 'package', { status, shipper, ...search }),
  };
  const [before] = readCursor(idPosition, cursor) ?? [];
  const rows = await pageOfPackages(db, filter, { before, limit: limit + 1 });
  const { page, nextCursor } = cutPage(rows, limit, (row) => [row.id]);
  const notFinal = await readNotFinal(
    db,
    page.map(({ id }) => packageSubject(id)),
  );
  return {
    answer: page.map((row) => viewPackage(context.ledger.assets, row, notFinal)),
    nextCursor,
    total: () => countPackages(db, filter),
  };
}

export async function getPackageMoney(
  context: AppContext,
  { packageId }: In<'getPackageMoney'>,
): Out<'getPackageMoney'> {
  return { answer: { packageId, ...(await readEscrow(context, PACKAGE, packageId)) } };
}
