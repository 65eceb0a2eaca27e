import type { RelayInstruction } from '@legwork/program-client';
import { gapBefore } from '../errors.js';
import { become, close, listingIn, type ListingFacts, newListing } from './listing.js';
import { acceptLeg, completeLeg, type Reputations } from './reputations.js';

/** The status of a package on the ledger. */
export type PackageLedgerStatus = 'listed' | 'forming' | 'in_transit' | 'delivered' | 'cancelled' | 'reclaimed';

/** A leg that was assigned. */
export interface LegFacts {
  address: string;
  courier: string;
  paymentLamports: bigint;
  /** Null: not confirmed. */
  confirmSignature: string | null;
}

/** A swarm that was formed, also after its accounts are closed. */
export interface FormationFacts {
  number: number;
  swarm: string;
  formSignature: string;
  totalLegs: number;
  totalLamports: bigint;
  /** Those assigned, by index. */
  legs: LegFacts[];
}

/** A package as its transactions made it. */
export interface PackageFacts extends ListingFacts {
  kind: 'package';
  status: PackageLedgerStatus;
  /** The latest one. */
  formation: FormationFacts | undefined;
}

/** The packages that were listed, and the couriers' reputations. */
export interface PackagesOnLedger {
  /** By address. */
  packages: Map<string, PackageFacts>;
  reputations: Reputations;
}

export function completedLegs(formation: FormationFacts | undefined): LegFacts[] {
  return formation?.legs.filter((leg) => leg.confirmSignature !== null) ?? [];
}

/**
 * A formation that ended with its package before all its legs were assigned. The service forms a swarm whole, so it was begun
 * elsewhere; it carried nothing, and the mirror has no row of it.
 */
export function abandonedFormation({ formation, status }: PackageFacts): FormationFacts | undefined {
  return formation && status === 'reclaimed' && formation.legs.length < formation.totalLegs ? formation : undefined;
}

type Named<Name extends RelayInstruction['name']> = Extract<RelayInstruction, { name: Name }>;

type OfListed = Named<
  'cancelPackage' | 'formSwarm' | 'assignLeg' | 'confirmLeg' | 'settle' | 'reclaimPackage' | 'closePackage'
>;

/** An instruction about a package. */
type PackageInstruction = Named<'listPackage'> | OfListed;

/** Applies the instruction to its package and to the reputations of its couriers. */
export function replayPackage(facts: PackagesOnLedger, instruction: PackageInstruction, signature: string): void {
  switch (instruction.name) {
    case 'listPackage':
      return list(facts, instruction, signature);
    case 'cancelPackage':
      return become(packageIn(facts, instruction, ['listed'], signature), 'cancelled', signature);
    case 'formSwarm':
      return form(facts, instruction, signature);
    case 'assignLeg':
      return assign(facts, instruction, signature);
    case 'confirmLeg':
      return confirm(facts, instruction, signature);
    case 'settle':
    case 'reclaimPackage':
      return end(facts, instruction, signature);
    case 'closePackage':
      return close(packageIn(facts, instruction, ['delivered', 'cancelled', 'reclaimed'], signature), signature);
  }
}

function packageIn(
  facts: PackagesOnLedger,
  { name, accounts }: OfListed,
  statuses: readonly PackageLedgerStatus[],
  signature: string,
): PackageFacts {
  return listingIn(facts.packages, { name, at: accounts.package.address }, statuses, signature);
}

function list(facts: PackagesOnLedger, { accounts, data }: Named<'listPackage'>, signature: string): void {
  const listed = {
    kind: 'package' as const,
    address: accounts.package.address,
    vault: accounts.vault.address,
    id: data.packageId,
    poster: accounts.shipper.address,
    funder: accounts.funder.address,
    maxBudget: data.maxBudget,
    deadline: data.deadline,
    termsHash: data.termsHash,
  };
  facts.packages.set(listed.address, { ...newListing(facts.packages, listed, signature), formation: undefined });
}

function form(facts: PackagesOnLedger, instruction: Named<'formSwarm'>, signature: string): void {
  const parcel = packageIn(facts, instruction, ['listed'], signature);
  const { accounts, data } = instruction;
  parcel.formation = {
    number: (parcel.formation?.number ?? 0) + 1,
    swarm: accounts.swarm.address,
    formSignature: signature,
    totalLegs: data.totalLegs,
    totalLamports: data.totalLamports,
    legs: [],
  };
  become(parcel, 'forming', signature);
}

function formationOf(parcel: PackageFacts, signature: string): FormationFacts {
  if (parcel.formation) return parcel.formation;
  throw gapBefore(signature, `package ${parcel.address} had no swarm`);
}

function assign(facts: PackagesOnLedger, instruction: Named<'assignLeg'>, signature: string): void {
  const parcel = packageIn(facts, instruction, ['forming'], signature);
  const formation = formationOf(parcel, signature);
  const { accounts, data } = instruction;
  const courier = accounts.courier.address;
  if (data.index !== formation.legs.length) throw gapBefore(signature, `leg ${data.index} was not the next one`);
  const { paymentLamports } = data;
  formation.legs.push({ address: accounts.leg.address, courier, paymentLamports, confirmSignature: null });
  if (formation.legs.length === formation.totalLegs) become(parcel, 'in_transit', signature);
  acceptLeg(facts.reputations, courier, accounts.reputation.address, signature);
}

function confirm(facts: PackagesOnLedger, instruction: Named<'confirmLeg'>, signature: string): void {
  const parcel = packageIn(facts, instruction, ['in_transit'], signature);
  const formation = formationOf(parcel, signature);
  const leg = formation.legs[completedLegs(formation).length];
  const { accounts, data } = instruction;
  if (leg?.address !== accounts.leg.address || data.formation !== formation.number) {
    throw gapBefore(signature, `leg ${accounts.leg.address} of formation ${data.formation} was not the next one`);
  }
  leg.confirmSignature = signature;
  parcel.paidLamports += leg.paymentLamports;
  completeLeg(facts.reputations, leg.courier, signature);
}

/** Settlement needs every leg confirmed, reclaim at least one that is not. */
function end(facts: PackagesOnLedger, instruction: Named<'settle' | 'reclaimPackage'>, signature: string): void {
  const settles = instruction.name === 'settle';
  const parcel = packageIn(facts, instruction, settles ? ['in_transit'] : ['forming', 'in_transit'], signature);
  const formation = formationOf(parcel, signature);
  const complete = completedLegs(formation).length === formation.totalLegs;
  if (complete !== settles) {
    throw gapBefore(signature, `${instruction.name} found ${completedLegs(formation).length} legs confirmed`);
  }
  become(parcel, settles ? 'delivered' : 'reclaimed', signature);
}
