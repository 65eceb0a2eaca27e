import type { MoveInstruction, Named, PackageInstruction } from '@legwork/program-client';
import { unwrapOption } from '@solana/kit';
import { gapBefore } from '../errors.js';
import { confirmLeg } from './confirm.js';
import type { Landing } from './landing.js';
import { type LegFacts, newTurn } from './legs.js';
import { become, close, listingIn, newListing } from './listing.js';
import { replayMove } from './moves.js';
import {
  completedLegs,
  type Formed,
  type PackageFacts,
  type PackageLedgerStatus,
  type PackagesOnLedger,
} from './packageFacts.js';
import { reclaimLegs, replaceCourier } from './replacement.js';
import { giveLeg } from './reputations.js';

type OfListed = Exclude<PackageInstruction, Named<'listPackage'> | MoveInstruction>;

/** Applies the instruction to its package and to the reputations of its couriers. */
export function replayPackage(facts: PackagesOnLedger, instruction: PackageInstruction, landing: Landing): void {
  const { signature } = landing;
  switch (instruction.name) {
    case 'listPackage':
      return list(facts, instruction, landing);
    case 'cancelPackage':
      return become(packageIn(facts, instruction, ['listed'], signature), 'cancelled', signature);
    case 'formSwarm':
      return form(facts, instruction, signature);
    case 'assignLeg':
      return assign(facts, instruction, landing);
    case 'confirmLeg':
      return confirmLeg(formedIn(facts, instruction, ['in_transit'], landing), instruction);
    case 'settle':
    case 'reclaimPackage':
      return end(facts, instruction, landing);
    case 'closePackage':
      return close(packageIn(facts, instruction, ['delivered', 'cancelled', 'reclaimed'], signature), signature);
    case 'accept':
    case 'vacate':
    case 'claim':
    case 'dispute':
    case 'rule':
      return replayMove(formedIn(facts, instruction, ['in_transit'], landing), instruction);
  }
}

function packageIn(
  facts: PackagesOnLedger,
  { name, accounts }: OfListed | MoveInstruction,
  statuses: readonly PackageLedgerStatus[],
  signature: string,
): PackageFacts {
  const { address } = 'package' in accounts ? accounts.package : accounts.listing;
  return listingIn(facts.packages, { name, at: address }, statuses, signature);
}

function formedIn(
  facts: PackagesOnLedger,
  instruction: OfListed | MoveInstruction,
  statuses: readonly PackageLedgerStatus[],
  landing: Landing,
): Formed {
  const parcel = packageIn(facts, instruction, statuses, landing.signature);
  const { formation } = parcel;
  const { reputations } = facts;
  if (formation) {
    return { listing: parcel, formation, legs: formation.legs, steps: formation.steps, landing, reputations };
  }
  throw gapBefore(landing.signature, `package ${parcel.address} had no swarm`);
}

function list(facts: PackagesOnLedger, { accounts, data }: Named<'listPackage'>, landing: Landing): void {
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
    terms: unwrapOption(data.terms),
  };
  const listing = newListing(facts.packages, listed, landing.signature);
  facts.packages.set(listed.address, { ...listing, formation: undefined });
  landing.fillOrEmpty(listed.vault);
}

function form(facts: PackagesOnLedger, instruction: Named<'formSwarm'>, signature: string): void {
  const parcel = packageIn(facts, instruction, ['listed'], signature);
  const { accounts, data } = instruction;
  const number = (parcel.formation?.latestNumber ?? 0) + 1;
  parcel.formation = {
    number,
    latestNumber: number,
    swarm: accounts.swarm.address,
    formSignature: signature,
    totalLegs: data.totalLegs,
    reservedLamports: data.totalLamports,
    assignedLamports: 0n,
    legs: [],
    formerLegs: [],
    steps: [],
  };
  become(parcel, 'forming', signature);
}

/** Gives a leg of a forming swarm to its first courier, or with terms a vacant one to another. */
function assign(facts: PackagesOnLedger, instruction: Named<'assignLeg'>, landing: Landing): void {
  const formed = formedIn(facts, instruction, ['forming', 'in_transit'], landing);
  const { listing: parcel, formation } = formed;
  const { accounts, data } = instruction;
  const { signature } = landing;
  if (parcel.status === 'forming') {
    if (data.index !== formation.legs.length) throw gapBefore(signature, `leg ${data.index} was not the next one`);
    formation.legs.push(firstLeg(formed, instruction));
    formation.assignedLamports += data.paymentLamports;
    if (formation.legs.length === formation.totalLegs) become(parcel, 'in_transit', signature);
  } else replaceCourier(formed, instruction);
  const given = formation.legs[data.index];
  if (given) giveLeg(facts.reputations, given, accounts.reputation.address, signature);
}

function firstLeg({ listing, formation, landing }: Formed, { accounts, data }: Named<'assignLeg'>): LegFacts {
  return {
    index: data.index,
    address: accounts.leg.address,
    courier: accounts.courier.address,
    paymentLamports: data.paymentLamports,
    formation: formation.number,
    assignSignature: landing.signature,
    isReplacement: false,
    confirmSignature: null,
    paidLamports: null,
    turn: listing.terms && newTurn(landing, data),
  };
}

/** Settlement needs every leg confirmed, reclaim at least one that is not. */
function end(facts: PackagesOnLedger, instruction: Named<'settle' | 'reclaimPackage'>, landing: Landing): void {
  const settles = instruction.name === 'settle';
  const formed = formedIn(facts, instruction, settles ? ['in_transit'] : ['forming', 'in_transit'], landing);
  const { listing: parcel, formation } = formed;
  const confirmed = completedLegs(formation).length;
  if ((confirmed === formation.totalLegs) !== settles) {
    throw gapBefore(landing.signature, `${instruction.name} found ${confirmed} legs confirmed`);
  }
  if (!settles) reclaimLegs(formed, { name: instruction.name, signer: instruction.accounts.signer.address });
  become(parcel, settles ? 'delivered' : 'reclaimed', landing.signature);
  landing.fillOrEmpty(parcel.vault);
}
