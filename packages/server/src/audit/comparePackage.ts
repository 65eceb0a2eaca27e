import { packageTermsHash, type PackageStatus } from '@agent-relay/protocol';
import { unixSeconds } from '../chain/walletTransactions.js';
import type { PackageRow } from '../db/schema.js';
import { compareEvents } from './compareEvents.js';
import { compareSwarms } from './compareSwarms.js';
import { endSignatureOf, type LedgerStatus, type PackageFacts, settleSignatureOf } from './facts.js';
import type { Findings } from './findings.js';
import type { MirroredPackage } from './mirror.js';

/** What a row may say while the ledger says so: the choice of a swarm is in the database before it is on the ledger. */
const STATUSES_HERE: Record<LedgerStatus, readonly PackageStatus[]> = {
  listed: ['listed', 'swarm_forming'],
  forming: ['swarm_forming'],
  in_transit: ['in_transit'],
  delivered: ['delivered'],
  cancelled: ['failed'],
  reclaimed: ['failed'],
};

/** The hash of what the row shows to people; a sentence when it has none. */
function hashOfShown(row: PackageRow): string {
  try {
    return packageTermsHash({
      description: row.description,
      origin: { lat: row.origin_lat, lng: row.origin_lng },
      destination: { lat: row.dest_lat, lng: row.dest_lng },
      weightKg: row.weight_kg,
      volumeLitres: row.volume_litres,
    }).hex;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function compareListing(row: PackageRow, item: PackageFacts, findings: Findings): void {
  const same = (what: string, here: string | bigint | null, ledger: string | bigint) =>
    findings.same(`package ${row.id}`, what, here, ledger, item.listSignature);
  same('id', row.id, item.id);
  same('shipper', row.shipper_pubkey, item.shipper);
  same('funder', row.funder_pubkey, item.funder);
  same('budget in lamports', row.max_budget_lamports, item.budgetLamports);
  same('deadline in unix seconds', unixSeconds(row.deadline), item.deadline);
  same('terms hash', row.terms_hash, item.termsHash);
  same('the hash of its description, places, weight and volume', hashOfShown(row), item.termsHash);
  same('vault', row.on_chain_vault, item.vault);
  same('list signature', row.list_signature, item.listSignature);
}

function compareState(row: PackageRow, item: PackageFacts, findings: Findings): void {
  const subject = `package ${row.id}`;
  const { status, statusSignature } = item;
  if (!STATUSES_HERE[status].includes(row.status)) {
    findings.same(subject, 'status', row.status, status, statusSignature);
  }
  const ended = endSignatureOf(item);
  const settled = settleSignatureOf(item);
  findings.same(subject, 'failure reason', row.failure_reason, ended === null ? null : status, ended);
  findings.same(subject, 'end signature', row.end_signature, ended, ended);
  findings.same(subject, 'settle signature', row.settle_signature, settled, settled);
  const refund = settled === null ? null : item.budgetLamports - item.paidLamports;
  findings.same(subject, 'refund in lamports', row.refund_lamports, refund, settled);
  findings.same(subject, 'close signature', row.close_signature, item.closeSignature, item.closeSignature);
  const { formation } = item;
  findings.same(subject, 'formation', row.formation, formation?.number ?? 0, formation?.formSignature ?? null);
}

/** Compares a package, its swarms, legs and events with what the ledger's transactions say; undefined: nothing. */
export function comparePackage(
  { row, swarms, events }: MirroredPackage,
  item: PackageFacts | undefined,
  findings: Findings,
): void {
  if (item === undefined) {
    findings.differ(
      `package ${row.id}`,
      `status is ${row.status} here, and no transaction of the ledger lists ${row.on_chain_package}`,
    );
    return;
  }
  compareListing(row, item, findings);
  compareState(row, item, findings);
  compareSwarms(row.id, swarms, item, findings);
  compareEvents(row.id, events, item, findings);
}

/** The terms of a listing that departs from its draft's; such a listing is not taken in. */
export function departsFrom(draft: PackageRow, item: PackageFacts): boolean {
  return (
    draft.shipper_pubkey !== item.shipper ||
    draft.funder_pubkey !== item.funder ||
    draft.max_budget_lamports !== item.budgetLamports ||
    unixSeconds(draft.deadline) !== item.deadline ||
    draft.terms_hash !== item.termsHash
  );
}
