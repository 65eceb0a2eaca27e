import {
  getLegDecoder,
  getPackageDecoder,
  getSwarmDecoder,
  LEG_KIND,
  PACKAGE_KIND,
  PackageStatus,
  SWARM_KIND,
  SwarmStatus,
} from '@legwork/program-client';
import {
  completedOf,
  type FormationFacts,
  isOver,
  type LegFacts,
  type PackageFacts,
  type PackageLedgerStatus,
  poolOf,
} from '@legwork/program-client/facts';
import { type Findings, subjectOf } from '../findings.js';
import { compareListingAccount, type LedgerAccount, type LedgerAccounts, type SameOnLedger } from './ledgerAccounts.js';
import { compareTurn } from './turn.js';

const STATUS: Record<PackageLedgerStatus, string | undefined> = {
  listed: PackageStatus[PackageStatus.Listed],
  forming: PackageStatus[PackageStatus.Forming],
  in_transit: PackageStatus[PackageStatus.InTransit],
  delivered: PackageStatus[PackageStatus.Delivered],
  cancelled: PackageStatus[PackageStatus.Cancelled],
  reclaimed: PackageStatus[PackageStatus.Reclaimed],
};

/** Compares the accounts of a package, its swarm and its legs with what its transactions made of them. */
export function comparePackageAccounts(accounts: LedgerAccounts, parcel: PackageFacts, findings: Findings): void {
  const subject = subjectOf(parcel);
  const account = accounts.takeListing(parcel, PACKAGE_KIND, { subject, what: 'package account' });
  if (account === undefined) return;
  const same: SameOnLedger = (what, found, replayed) =>
    findings.sameOnLedger(subject, what, found, replayed, parcel.latestSignature);
  const data = getPackageDecoder().decode(account.bytes);
  same('status', PackageStatus[data.status] ?? null, STATUS[parcel.status] ?? null);
  same('shipper', data.shipper, parcel.poster);
  compareListingAccount(data, parcel, accounts.assetOf(parcel), same);
  same('formation', data.formation, parcel.formation?.latestNumber ?? 0);
  if (parcel.formation && !isOver(parcel)) compareSwarm({ accounts, subject, same }, parcel, parcel.formation);
}

interface Comparing {
  accounts: LedgerAccounts;
  subject: string;
  same: SameOnLedger;
}

function compareSwarm({ accounts, subject, same }: Comparing, parcel: PackageFacts, formation: FormationFacts): void {
  const account = accounts.take(formation.swarm, SWARM_KIND, { subject, what: 'swarm account' });
  if (account === undefined) return;
  const data = getSwarmDecoder().decode(account.bytes);
  const isActive = formation.legs.length === formation.totalLegs;
  const status = SwarmStatus[isActive ? SwarmStatus.Active : SwarmStatus.Forming];
  same("its swarm's status", SwarmStatus[data.status] ?? null, status ?? null);
  same("its swarm's formation", data.formation, formation.latestNumber);
  same("its swarm's legs", data.totalLegs, formation.totalLegs);
  same("its swarm's lamports", data.totalLamports, poolOf(formation));
  same("its swarm's assigned lamports", data.assignedLamports, formation.assignedLamports);
  same("its swarm's completed legs", data.completedLegs, completedOf(formation.legs).length);
  const paid = formation.legs.reduce((sum, leg) => sum + (leg.paidLamports ?? 0n), 0n);
  same("its swarm's paid lamports", data.paidLamports, paid);
  formation.legs.forEach((leg, index) => {
    const found = accounts.take(leg.address, LEG_KIND, { subject, what: 'leg account' });
    if (found) compareLeg(found, leg, parcel, (what, ...values) => same(`leg ${index}'s ${what}`, ...values));
  });
}

function compareLeg(found: LedgerAccount, leg: LegFacts, parcel: PackageFacts, same: SameOnLedger): void {
  const data = getLegDecoder().decode(found.bytes);
  same('courier', data.courier, leg.courier);
  same('payment', data.paymentLamports, leg.paymentLamports);
  compareTurn({ ...found, ...data }, leg, parcel, same);
}
