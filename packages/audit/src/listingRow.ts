import type { DigitalTaskRow, PackageRow } from '@legwork/server/schema';
import { endSignatureOf, type ListingFacts, refundOf, settleSignatureOf } from './facts.js';
import type { Findings } from './findings.js';

/** What the rows of packages and of digital tasks have in common. */
export type ListingRow = Pick<
  PackageRow & DigitalTaskRow,
  | 'id'
  | 'funder_pubkey'
  | 'failure_reason'
  | 'shipper_pubkey'
  | 'max_budget_lamports'
  | 'deadline'
  | 'terms_hash'
  | 'on_chain_vault'
  | 'list_signature'
  | 'settle_signature'
  | 'refund_lamports'
  | 'end_signature'
  | 'close_signature'
> & { status: string };

const unixSeconds = (instant: Date): bigint => BigInt(Math.floor(instant.getTime() / 1000));

/** What of the row is hashed, in words, and the hash, which must be the one that was signed. */
export interface Shown {
  what: string;
  hash: () => { hex: string };
}

/** The hash of what the row shows to people; a sentence when it has none. */
function hashOf({ hash }: Shown): string {
  try {
    return hash().hex;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Compares the terms that were listed. */
export function compareTerms(
  subject: string,
  row: ListingRow,
  item: ListingFacts,
  shown: Shown,
  findings: Findings,
): void {
  const same = (what: string, here: string | bigint | null, ledger: string | bigint) =>
    findings.same(subject, what, here, ledger, item.listSignature);
  same('id', row.id, item.id);
  same('shipper', row.shipper_pubkey, item.shipper);
  same('funder', row.funder_pubkey, item.funder);
  same('budget in lamports', row.max_budget_lamports, item.budgetLamports);
  same('deadline in unix seconds', unixSeconds(row.deadline), item.deadline);
  same('terms hash', row.terms_hash, item.termsHash);
  same(`the hash of its ${shown.what}`, hashOf(shown), item.termsHash);
  same('vault', row.on_chain_vault, item.vault);
  same('list signature', row.list_signature, item.listSignature);
}

/** Compares how it ended. */
export function compareEnd(subject: string, row: ListingRow, item: ListingFacts, findings: Findings): void {
  const ended = endSignatureOf(item);
  const settled = settleSignatureOf(item);
  findings.same(subject, 'failure reason', row.failure_reason, ended === null ? null : item.status, ended);
  findings.same(subject, 'end signature', row.end_signature, ended, ended);
  findings.same(subject, 'settle signature', row.settle_signature, settled, settled);
  findings.same(subject, 'refund in lamports', row.refund_lamports, refundOf(item), settled);
  findings.same(subject, 'close signature', row.close_signature, item.closeSignature, item.closeSignature);
}

/** Whether a listing departs from the terms of its draft; such a listing is not taken in. */
export function departsFrom(draft: ListingRow, item: ListingFacts): boolean {
  return (
    draft.shipper_pubkey !== item.shipper ||
    draft.funder_pubkey !== item.funder ||
    draft.max_budget_lamports !== item.budgetLamports ||
    unixSeconds(draft.deadline) !== item.deadline ||
    draft.terms_hash !== item.termsHash
  );
}
