import type { Named, PackageInstruction } from '../instructions.js';
import { confirmLeg, reclaimLegs } from './ends.js';
import { completedOf, countGiven, type Formed, type LegFacts, newTurn, noteStep } from './legs.js';
import { become, change, close, type ListingFacts, newListing, type PackageFacts } from './listing.js';
import { makeMove } from './moves.js';
import { type Landing, misfit } from './transaction.js';

/** The facts of a new package, at an address that had nothing. */
export function listPackage(
  former: ListingFacts | undefined,
  instruction: Named<'listPackage'>,
  landing: Landing,
): PackageFacts {
  const { accounts, data } = instruction;
  const [address, poster] = [accounts.package.address, accounts.shipper.address];
  const own = { kind: 'package' as const, address, id: data.packageId, poster };
  return { ...newListing(former, own, instruction, landing), formation: undefined };
}

/** Does to the package what the instruction does. */
export function applyToPackage(
  parcel: PackageFacts,
  instruction: Exclude<PackageInstruction, Named<'listPackage'>>,
  landing: Landing,
): void {
  const { signature } = landing;
  const mustBe = (...statuses: PackageFacts['status'][]) => change(parcel, instruction.name, statuses, signature);
  switch (instruction.name) {
    case 'cancelPackage':
      mustBe('listed');
      return become(parcel, 'cancelled', signature);
    case 'formSwarm':
      mustBe('listed');
      return form(parcel, instruction, signature);
    case 'assignLeg':
      mustBe('forming', 'in_transit');
      return assign(formedOf(parcel, landing), instruction);
    case 'confirmLeg':
      mustBe('in_transit');
      return confirmLeg(formedOf(parcel, landing), instruction);
    case 'settle':
      mustBe('in_transit');
      return end(formedOf(parcel, landing), instruction);
    case 'reclaimPackage':
      mustBe('forming', 'in_transit');
      return end(formedOf(parcel, landing), instruction);
    case 'closePackage':
      mustBe('delivered', 'cancelled', 'reclaimed');
      return close(parcel, signature);
    case 'accept':
    case 'vacate':
    case 'claim':
    case 'dispute':
    case 'rule':
      mustBe('in_transit');
      return makeMove(formedOf(parcel, landing), instruction);
  }
}

function formedOf(parcel: PackageFacts, landing: Landing): Formed {
  const { formation } = parcel;
  if (!formation) misfit(`package ${parcel.address} had no swarm`);
  return { listing: parcel, formation, legs: formation.legs, landing };
}

function form(parcel: PackageFacts, { accounts, data }: Named<'formSwarm'>, signature: string): void {
  parcel.formation = {
    number: 1,
    latestNumber: 1,
    swarm: accounts.swarm.address,
    formSignature: signature,
    totalLegs: data.totalLegs,
    reservedLamports: data.totalLamports,
    assignedLamports: 0n,
    legs: [],
    formerLegs: [],
  };
  become(parcel, 'forming', signature);
}

/** Gives a leg of a forming swarm to its first courier, or with terms a vacant one to another. */
function assign(formed: Formed, instruction: Named<'assignLeg'>): void {
  const { listing: parcel, formation, landing } = formed;
  const { index, paymentLamports } = instruction.data;
  let leg: LegFacts;
  if (parcel.status === 'forming') {
    if (index !== formation.legs.length) misfit(`leg ${index} was not the next one`);
    leg = legOf(formed, instruction, formation.number);
    formation.assignedLamports += paymentLamports;
  } else leg = replaceCourier(formed, instruction);
  formation.legs[index] = leg;
  if (parcel.status === 'forming' && formation.legs.length === formation.totalLegs) {
    become(parcel, 'in_transit', landing.signature);
  }
  countGiven(formed, leg, instruction.accounts.reputation.address);
}

function legOf({ listing, landing }: Formed, { accounts, data }: Named<'assignLeg'>, formation: number): LegFacts {
  return {
    index: data.index,
    address: accounts.leg.address,
    courier: accounts.courier.address,
    paymentLamports: data.paymentLamports,
    formation,
    assignSignature: landing.signature,
    isReplacement: false,
    confirmSignature: null,
    paidLamports: null,
    turn: listing.terms && newTurn(landing, data),
  };
}

/** Gives a vacant leg to another courier. Rules T-26 to T-30. */
function replaceCourier(formed: Formed, instruction: Named<'assignLeg'>): LegFacts {
  const { formation, landing } = formed;
  const { accounts, data } = instruction;
  const former = formation.legs[data.index];
  if (former?.address !== accounts.leg.address || former.turn?.stage !== 'vacant') {
    misfit(`assignLeg found leg ${data.index} ${former?.turn?.stage ?? 'without terms'}`);
  }
  former.turn.endedAt = landing.at;
  formation.latestNumber += 1;
  formation.assignedLamports += data.paymentLamports - former.paymentLamports;
  formation.formerLegs.push(former);
  const leg = { ...legOf(formed, instruction, formation.latestNumber), isReplacement: true };
  noteStep(formed, leg, 'replace', accounts.coordinator.address, { former });
  return leg;
}

/** Settlement needs every leg confirmed, reclaim at least one that is not. */
function end(formed: Formed, { name, accounts }: Named<'settle' | 'reclaimPackage'>): void {
  const { listing: parcel, formation, landing } = formed;
  const settles = name === 'settle';
  const confirmed = completedOf(formation.legs).length;
  if ((confirmed === formation.totalLegs) !== settles) misfit(`${name} found ${confirmed} legs confirmed`);
  if (!settles) reclaimLegs(formed, name, accounts.signer.address);
  become(parcel, settles ? 'delivered' : 'reclaimed', landing.signature);
}
