import {
  getLegDecoder,
  getPackageDecoder,
  getSwarmDecoder,
  LEG_KIND,
  LegStatus,
  PACKAGE_KIND,
  PackageStatus,
  SWARM_KIND,
  SwarmStatus,
} from '@legwork/program-client';
import type { ReadonlyUint8Array } from '@solana/kit';
import type { Findings } from '../findings.js';
import {
  completedLegs,
  type FormationFacts,
  type LegFacts,
  type PackageFacts,
  type PackageLedgerStatus,
} from '../replay/package.js';
import { isOver, subjectOf } from '../replay/listing.js';
import { compareListingAccount, type LedgerAccounts, type SameOnLedger } from './ledgerAccounts.js';

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
  const bytes = accounts.takeListing(parcel, PACKAGE_KIND, { subject, what: 'package account' });
  if (bytes === undefined) return;
  const same: SameOnLedger = (what, account, replayed) =>
    findings.sameOnLedger(subject, what, account, replayed, parcel.latestSignature);
  const data = getPackageDecoder().decode(bytes);
  same('status', PackageStatus[data.status] ?? null, STATUS[parcel.status] ?? null);
  same('shipper', data.shipper, parcel.poster);
  compareListingAccount(data, parcel, same);
  same('formation', data.formation, parcel.formation?.number ?? 0);
  if (parcel.formation && !isOver(parcel)) compareSwarm(accounts, subject, parcel.formation, same);
}

function compareSwarm(accounts: LedgerAccounts, subject: string, formation: FormationFacts, same: SameOnLedger): void {
  const bytes = accounts.take(formation.swarm, SWARM_KIND, { subject, what: 'swarm account' });
  if (bytes === undefined) return;
  const data = getSwarmDecoder().decode(bytes);
  const isActive = formation.legs.length === formation.totalLegs;
  const status = SwarmStatus[isActive ? SwarmStatus.Active : SwarmStatus.Forming];
  same("its swarm's status", SwarmStatus[data.status] ?? null, status ?? null);
  same("its swarm's formation", data.formation, formation.number);
  same("its swarm's legs", data.totalLegs, formation.totalLegs);
  same("its swarm's lamports", data.totalLamports, formation.totalLamports);
  same("its swarm's completed legs", data.completedLegs, completedLegs(formation).length);
  formation.legs.forEach((leg, index) => {
    const found = accounts.take(leg.address, LEG_KIND, { subject, what: 'leg account' });
    if (found) compareLeg(found, leg, (what, ...values) => same(`leg ${index}'s ${what}`, ...values));
  });
}

function compareLeg(bytes: ReadonlyUint8Array, leg: LegFacts, same: SameOnLedger): void {
  const data = getLegDecoder().decode(bytes);
  const status = LegStatus[leg.confirmSignature === null ? LegStatus.Pending : LegStatus.Completed];
  same('status', LegStatus[data.status] ?? null, status ?? null);
  same('courier', data.courier, leg.courier);
  same('payment', data.paymentLamports, leg.paymentLamports);
}
