import type { RelayInstruction } from '@legwork/program-client';
import type { Trx } from '../db/connect.js';
import { markListed } from '../db/packages.js';
import type { PackageRow } from '../db/schema.js';
import { appendEvent } from '../db/events.js';
import { unixSeconds } from '../ledger/walletTransactions.js';
import { departuresAmong } from './departures.js';

/**
 * Which of the draft's terms a listing of its package departs from, in words; undefined when the instruction does not
 * list this package at all.
 */
export function listingDepartures(instruction: RelayInstruction, draft: PackageRow): string[] | undefined {
  if (instruction.name !== 'listPackage') return undefined;
  const { accounts, data } = instruction;
  if (accounts.package.address !== draft.on_chain_package) return undefined;
  return departuresAmong([
    ['shipper', accounts.shipper.address, draft.shipper_pubkey],
    ['funder', accounts.funder.address, draft.funder_pubkey],
    ['budget in lamports', data.maxBudget, draft.max_budget_lamports],
    ['deadline in unix seconds', data.deadline, unixSeconds(draft.deadline)],
    ['terms hash', Buffer.from(data.termsHash).toString('hex'), draft.terms_hash],
  ]);
}

/** Projects that the ledger shows the draft listed with its terms; false when the mirror has it already. Rule M-9. */
export async function recordListed(trx: Trx, draft: PackageRow, listSignature: string): Promise<boolean> {
  if (!(await markListed(trx, draft.id, listSignature))) return false;
  await appendEvent(trx, 'PACKAGE_LISTED', `package:${draft.id}`, {
    packageId: draft.id,
    shipperPubkey: draft.shipper_pubkey,
    origin: { lat: draft.origin_lat, lng: draft.origin_lng },
    destination: { lat: draft.dest_lat, lng: draft.dest_lng },
    maxBudgetLamports: draft.max_budget_lamports,
    deadline: draft.deadline,
    onChainPackage: draft.on_chain_package,
    listSignature,
  });
  return true;
}
