import type { Terms } from '@legwork/program-client';
import { endSignatureOf, type ListingFacts, refundOf, settleSignatureOf } from '@legwork/program-client/facts';
import type { DigitalTaskRow, PackageRow, TermsJson } from '@legwork/server/schema';
import type { Trx } from '../database.js';
import type { Findings, Value } from '../findings.js';
import type { MirroredEvent } from './events.js';

/** How one kind of listing, packages or digital tasks, is compared. */
export interface ListingKind<Listing extends ListingFacts, Row extends ListingRow, Found extends { row: Row }> {
  name: Listing['kind'];
  /** The first part of its events' subjects. */
  topic: 'package' | 'task';
  /** All but the drafts, by id. */
  read: (trx: Trx) => AsyncIterable<Found>;
  addressOf: (row: Row) => string;
  countLegs: (found: Found) => number;
  compare: (mirrored: Mirrored<Found>, listing: Listing, findings: Findings) => void;
  /** The drafts at these addresses. */
  drafts: (trx: Trx, addresses: readonly string[]) => Promise<Row[]>;
  /** Reports whether a listing departs from the terms of its draft; the service ignores such a listing. */
  departs: (draft: Row, listing: Listing, asset: number) => boolean;
  /** The coordinator's work for it, in words, or undefined. */
  workDone: (listing: Listing) => string | undefined;
}

/** A row of the mirror with its events. */
export interface Mirrored<Found> {
  /** The row with its legs and whatever else belongs to it. */
  found: Found;
  /** In the order of their numbers. */
  events: readonly MirroredEvent[];
  /** Number of the asset that the ledger's listing pays in; 0: SOL. */
  asset: number;
}

/** The columns that the rows of packages and of digital tasks have in common. */
export type ListingRow = Pick<
  PackageRow & DigitalTaskRow,
  | 'id'
  | 'asset'
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
  | 'terms'
  | 'erased_at'
  | 'document_known'
> & { status: string };

/** The text that the row shows, in words, and its hash, which must be the signed one. */
export interface Shown {
  what: string;
  hash: () => { hex: string };
}

/** Compares the terms of the listing. */
export function compareTerms(
  subject: string,
  row: ListingRow,
  { listing, asset }: { listing: ListingFacts; asset: number },
  shown: Shown,
  findings: Findings,
): void {
  const same = (what: string, here: Value, ledger: Value) =>
    findings.same(subject, what, here, ledger, listing.listSignature);
  same('id', row.id, listing.id);
  for (const signed of signedOf(row, listing, asset)) same(...signed);
  if (!row.document_known) findings.note(subject, 'its document was lost with a former database');
  else if (row.erased_at === null) same(`the hash of its ${shown.what}`, hashOf(shown), listing.termsHash);
  same('vault', row.on_chain_vault, listing.vault);
  same('list signature', row.list_signature, listing.listSignature);
  for (const term of differingTerms(row, listing)) same(...term);
}

/** A value by its name, as the row and as the ledger has it. */
type Compared = readonly [what: string, here: Value, ledger: Value];

/** The fields that its poster signed. */
function signedOf(row: ListingRow, listing: ListingFacts, asset: number): Compared[] {
  return [
    ['shipper', row.shipper_pubkey, listing.poster],
    ['funder', row.funder_pubkey, listing.funder],
    ['asset', row.asset, asset],
    ['budget in lamports', row.max_budget_lamports, listing.budgetLamports],
    ['deadline in unix seconds', unixSeconds(row.deadline), listing.deadline],
    ['terms hash', row.terms_hash, listing.termsHash],
  ];
}

/** The hash of what the row shows; a sentence when it cannot be hashed. */
function hashOf({ hash }: Shown): string {
  try {
    return hash().hex;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Compares how it ended. */
export function compareEnd(subject: string, row: ListingRow, listing: ListingFacts, findings: Findings): void {
  const ended = endSignatureOf(listing);
  const settled = settleSignatureOf(listing);
  findings.same(subject, 'failure reason', row.failure_reason, ended === null ? null : listing.status, ended);
  findings.same(subject, 'end signature', row.end_signature, ended, ended);
  findings.same(subject, 'settle signature', row.settle_signature, settled, settled);
  findings.same(subject, 'refund in lamports', row.refund_lamports, refundOf(listing), settled);
  findings.same(subject, 'close signature', row.close_signature, listing.closeSignature, listing.closeSignature);
}

/** Reports whether a listing departs from the terms of its draft; the service ignores such a listing. */
export function departsFrom(draft: ListingRow, listing: ListingFacts, asset: number): boolean {
  return [...signedOf(draft, listing, asset), ...differingTerms(draft, listing)].some(
    ([, here, ledger]) => here !== ledger,
  );
}

const unixSeconds = (instant: Date): bigint => BigInt(Math.floor(instant.getTime() / 1000));

/** Stands on the ledger where terms name no receiver. */
const NOBODY = '11111111111111111111111111111111';
/** Of the flags: the lister signs the first pickup too. */
const COSIGNED_PICKUP = 1;

/** Terms as a row keeps them. */
export function termsAsKept(terms: Terms): TermsJson {
  return {
    receiverPubkey: terms.receiver === NOBODY ? null : terms.receiver,
    arbiterPubkey: terms.arbiter,
    stakeLamports: Number(terms.stake),
    carrySec: terms.carry,
    handoffSec: terms.handoff,
    reviewSec: terms.review,
    arbitrationSec: terms.arbitration,
    cosignedPickup: (terms.flags & COSIGNED_PICKUP) !== 0,
  };
}

const FIELDS = [
  'receiverPubkey',
  'arbiterPubkey',
  'stakeLamports',
  'carrySec',
  'handoffSec',
  'reviewSec',
  'arbitrationSec',
  'cosignedPickup',
] as const satisfies (keyof TermsJson)[];

/** Each of the terms that differs, with what the row and the ledger say. Rule T-1. */
function differingTerms(row: { terms: TermsJson | null }, { terms }: ListingFacts): Compared[] {
  if (row.terms === null || terms === null) {
    return row.terms === terms ? [] : [['terms', row.terms && 'some', terms && 'some']];
  }
  const [here, ledger] = [row.terms, termsAsKept(terms)];
  const valueOf = (value: TermsJson[keyof TermsJson]) => (typeof value === 'boolean' ? String(value) : value);
  return FIELDS.filter((field) => here[field] !== ledger[field]).map((field) => {
    return [`${field} of its terms`, valueOf(here[field]), valueOf(ledger[field])];
  });
}
