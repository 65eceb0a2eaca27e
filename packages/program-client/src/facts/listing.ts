import { bytesToUuid } from '@legwork/protocol/contract';
import { getBase16Decoder, type ReadonlyUint8Array, unwrapOption } from '@solana/kit';
import type { Terms } from '../generated/index.js';
import type { Named } from '../instructions.js';
import type { AssignmentFacts, LegFacts, StepFacts } from './legs.js';
import { type Landing, misfit } from './transaction.js';

/** The status of a package on the ledger. */
export type PackageLedgerStatus = 'listed' | 'forming' | 'in_transit' | 'delivered' | 'cancelled' | 'reclaimed';
/** The status of a digital task on the ledger. */
export type TaskLedgerStatus = 'listed' | 'in_progress' | 'completed' | 'cancelled' | 'reclaimed';

/** The facts that packages and digital tasks have in common: signed terms, and a budget in a vault. */
export interface ListingFacts {
  kind: 'package' | 'digital task';
  address: string;
  vault: string;
  /** The service's id. */
  id: string;
  /** The shipper of a package. */
  poster: string;
  funder: string;
  /** The account of the asset that it is paid in, of which all its amounts are base units; null: lamports. */
  asset: string | null;
  budgetLamports: bigint;
  /** Unix seconds. */
  deadline: bigint;
  /** Lower-case hexadecimal. */
  termsHash: string;
  /** Null: nothing binds both sides. */
  terms: Terms | null;
  listSignature: string;
  status: PackageLedgerStatus | TaskLedgerStatus;
  /** Of the transaction that made the status what it is. */
  statusSignature: string;
  paidLamports: bigint;
  /** The vault's gains after the listing: forfeited stakes, and payments that wallets could not receive. */
  gainedLamports: bigint;
  closeSignature: string | null;
  /** Of the transaction that changed it last. */
  latestSignature: string;
  /** The steps of its legs, in the order of the ledger. */
  steps: StepFacts[];
  /** Its effects on reputations, in the order of the ledger. */
  counts: Count[];
}

/** By how much a transaction changed the reputation of an agent. */
export interface Count {
  agent: string;
  /** The account of the reputation; null: the instruction does not name it. */
  reputation: string | null;
  accepted: bigint;
  completed: bigint;
  signature: string;
}

/** A package as its transactions made it. */
export interface PackageFacts extends ListingFacts {
  kind: 'package';
  status: PackageLedgerStatus;
  /** There is one at most. */
  formation: FormationFacts | undefined;
}

/** A swarm that was formed, also after its accounts are closed. */
export interface FormationFacts {
  /** Of the first couriers. */
  number: number;
  /** Counts replacements too. */
  latestNumber: number;
  swarm: string;
  formSignature: string;
  totalLegs: number;
  /** The amount that its formation reserved. */
  reservedLamports: bigint;
  /** The payments of the legs as they are now. */
  assignedLamports: bigint;
  /** Those assigned, by index, each as its courier of now has it. */
  legs: LegFacts[];
  /** As former couriers had them, in the order of the ledger. */
  formerLegs: LegFacts[];
}

/** A digital task as its transactions made it. */
export interface TaskFacts extends ListingFacts {
  kind: 'digital task';
  status: TaskLedgerStatus;
  numLegs: number;
  /** Released ones too, in the order of the ledger. */
  assignments: AssignmentFacts[];
}

export type Listing = PackageFacts | TaskFacts;

/** Its kind, as the rules name it. */
export function ruleKind({ kind }: Pick<ListingFacts, 'kind'>): 'package' | 'task' {
  return kind === 'package' ? 'package' : 'task';
}

/** Reports whether only its account can still change, by being closed. */
export function isOver(listing: ListingFacts): boolean {
  return settleSignatureOf(listing) !== null || endSignatureOf(listing) !== null;
}

/** The signature that settled it, or null. */
export function settleSignatureOf({ status, statusSignature }: ListingFacts): string | null {
  return status === 'delivered' || status === 'completed' ? statusSignature : null;
}

/** The signature that cancelled or reclaimed it, or null. */
export function endSignatureOf({ status, statusSignature }: ListingFacts): string | null {
  return status === 'cancelled' || status === 'reclaimed' ? statusSignature : null;
}

/** The vault's own balance, above its rent: the unpaid budget, and its gains. */
export function leftInVault({ budgetLamports, paidLamports, gainedLamports }: ListingFacts): bigint {
  return budgetLamports - paidLamports + gainedLamports;
}

/** The amount that its settlement returned to the funder, or null before it is settled. */
export function refundOf(listing: ListingFacts): bigint | null {
  return settleSignatureOf(listing) === null ? null : leftInVault(listing);
}

/** The facts that each kind of listing names in its own way. */
interface Own<Kind> extends Pick<ListingFacts, 'address' | 'poster'> {
  kind: Kind;
  id: ReadonlyUint8Array;
}

/** The facts of a new listing, at an address that had none. */
export function newListing<Kind extends ListingFacts['kind']>(
  former: ListingFacts | undefined,
  { id, ...own }: Own<Kind>,
  { accounts, data, tokens }: Named<'listPackage' | 'listTask'>,
  landing: Landing,
): ListingFacts & { kind: Kind; status: 'listed' } {
  if (former) misfit(`${own.kind} ${own.address} was listed before`);
  const { signature } = landing;
  landing.fill(accounts.vault.address);
  return {
    ...own,
    vault: accounts.vault.address,
    id: bytesToUuid(Uint8Array.from(id)),
    funder: accounts.funder.address,
    asset: tokens?.asset ?? null,
    budgetLamports: data.maxBudget,
    deadline: data.deadline,
    termsHash: hexOf(data.termsHash),
    terms: unwrapOption(data.terms),
    listSignature: signature,
    status: 'listed',
    statusSignature: signature,
    paidLamports: 0n,
    gainedLamports: 0n,
    closeSignature: null,
    latestSignature: signature,
    steps: [],
    counts: [],
  };
}

/** Notes that the instruction changes the listing, which must be in one of the given statuses. */
export function change<Of extends ListingFacts>(
  listing: Of,
  name: string,
  statuses: readonly Of['status'][],
  signature: string,
): void {
  if (!statuses.includes(listing.status)) misfit(`${name} found ${listing.address} ${listing.status}`);
  listing.latestSignature = signature;
}

/** Moves it to a status. */
export function become<Of extends ListingFacts>(listing: Of, status: Of['status'], signature: string): void {
  listing.status = status;
  listing.statusSignature = signature;
}

/** Closes its account, which happens once. */
export function close(listing: ListingFacts, signature: string): void {
  if (listing.closeSignature !== null) misfit(`${listing.address} was closed before`);
  listing.closeSignature = signature;
}

/** Lower-case hexadecimal. */
export const hexOf = (bytes: ReadonlyUint8Array): string => getBase16Decoder().decode(bytes);
