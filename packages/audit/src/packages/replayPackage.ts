import type { RelayInstruction } from '@legwork/program-client';
import { gapBefore } from '../errors.js';
import type { LedgerFacts } from '../facts.js';
import { become, close, listingIn, newListing } from '../listings.js';
import { acceptLeg, completeLeg } from '../reputations.js';
import { completedLegs, type FormationFacts, type PackageFacts, type PackageLedgerStatus } from './packageFacts.js';

type Named<Name extends RelayInstruction['name']> = Extract<RelayInstruction, { name: Name }>;

type OfListed = Named<
  'cancelPackage' | 'formSwarm' | 'assignLeg' | 'confirmLeg' | 'settle' | 'reclaimPackage' | 'closePackage'
>;

/** An instruction about a package. */
export type PackageInstruction = Named<'listPackage'> | OfListed;

function packageIn(
  facts: LedgerFacts,
  { name, accounts }: OfListed,
  statuses: readonly PackageLedgerStatus[],
  signature: string,
): PackageFacts {
  return listingIn(facts.packages, { name, at: accounts.package.address }, statuses, signature);
}

function list(facts: LedgerFacts, { accounts, data }: Named<'listPackage'>, signature: string): void {
  const listed = {
    kind: 'package' as const,
    address: accounts.package.address,
    vault: accounts.vault.address,
    id: data.packageId,
    shipper: accounts.shipper.address,
    funder: accounts.funder.address,
    maxBudget: data.maxBudget,
    deadline: data.deadline,
    termsHash: data.termsHash,
  };
  facts.packages.set(listed.address, { ...newListing(facts.packages, listed, signature), formation: undefined });
}

function form(facts: LedgerFacts, instruction: Named<'formSwarm'>, signature: string): void {
  const item = packageIn(facts, instruction, ['listed'], signature);
  const { accounts, data } = instruction;
  item.formation = {
    number: (item.formation?.number ?? 0) + 1,
    swarm: accounts.swarm.address,
    formSignature: signature,
    totalLegs: data.totalLegs,
    totalLamports: data.totalLamports,
    legs: [],
  };
  become(item, 'forming', signature);
}

function formationOf(item: PackageFacts, signature: string): FormationFacts {
  if (item.formation) return item.formation;
  throw gapBefore(signature, `package ${item.address} had no swarm`);
}

function assign(facts: LedgerFacts, instruction: Named<'assignLeg'>, signature: string): void {
  const item = packageIn(facts, instruction, ['forming'], signature);
  const formation = formationOf(item, signature);
  const { accounts, data } = instruction;
  const courier = accounts.courier.address;
  if (data.index !== formation.legs.length) throw gapBefore(signature, `leg ${data.index} was not the next one`);
  const { paymentLamports } = data;
  formation.legs.push({ address: accounts.leg.address, courier, paymentLamports, confirmSignature: null });
  if (formation.legs.length === formation.totalLegs) become(item, 'in_transit', signature);
  acceptLeg(facts, courier, accounts.reputation.address, signature);
}

function confirm(facts: LedgerFacts, instruction: Named<'confirmLeg'>, signature: string): void {
  const item = packageIn(facts, instruction, ['in_transit'], signature);
  const formation = formationOf(item, signature);
  const leg = formation.legs[completedLegs(formation).length];
  const { accounts, data } = instruction;
  if (leg?.address !== accounts.leg.address || data.formation !== formation.number) {
    throw gapBefore(signature, `leg ${accounts.leg.address} of formation ${data.formation} was not the next one`);
  }
  leg.confirmSignature = signature;
  item.paidLamports += leg.paymentLamports;
  completeLeg(facts, leg.courier, signature);
}

/** Settlement needs every leg confirmed, reclaim at least one that is not. */
function end(facts: LedgerFacts, instruction: Named<'settle' | 'reclaimPackage'>, signature: string): void {
  const settles = instruction.name === 'settle';
  const item = packageIn(facts, instruction, settles ? ['in_transit'] : ['forming', 'in_transit'], signature);
  const formation = formationOf(item, signature);
  const complete = completedLegs(formation).length === formation.totalLegs;
  if (complete !== settles) {
    throw gapBefore(signature, `${instruction.name} found ${completedLegs(formation).length} legs confirmed`);
  }
  become(item, settles ? 'delivered' : 'reclaimed', signature);
}

/** Adds what the instruction did to its package, and to the reputations of its couriers. */
export function replayPackage(facts: LedgerFacts, instruction: PackageInstruction, signature: string): void {
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
