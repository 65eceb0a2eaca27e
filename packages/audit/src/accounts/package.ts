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
  type Terms,
  type Turn,
} from '@legwork/program-client';
import type { LegStage } from '@legwork/protocol/contract';
import { STAKES_HELD } from '@legwork/protocol/rules';
import { unwrapOption } from '@solana/kit';
import type { Findings } from '../findings.js';
import {
  completedLegs,
  type FormationFacts,
  type PackageFacts,
  type PackageLedgerStatus,
} from '../replay/packageFacts.js';
import type { LegFacts, TurnFacts } from '../replay/legs.js';
import { isOver, subjectOf } from '../replay/listing.js';
import { compareListingAccount, type LedgerAccount, type LedgerAccounts, type SameOnLedger } from './ledgerAccounts.js';

const STATUS: Record<PackageLedgerStatus, string | undefined> = {
  listed: PackageStatus[PackageStatus.Listed],
  forming: PackageStatus[PackageStatus.Forming],
  in_transit: PackageStatus[PackageStatus.InTransit],
  delivered: PackageStatus[PackageStatus.Delivered],
  cancelled: PackageStatus[PackageStatus.Cancelled],
  reclaimed: PackageStatus[PackageStatus.Reclaimed],
};

const STAGE: Record<LegStage, LegStatus> = {
  pending: LegStatus.Pending,
  accepted: LegStatus.Accepted,
  carried: LegStatus.Carried,
  claimed: LegStatus.Claimed,
  disputed: LegStatus.Disputed,
  ruled: LegStatus.Ruled,
  vacant: LegStatus.Vacant,
  completed: LegStatus.Completed,
};

/** The version of what belongs to a package with terms, and of what does not. Rule T-4. */
const WITH_TERMS = 2;
const PLAIN = 1;

/** Compares the accounts of a package, its swarm and its legs with what its transactions made of them. */
export function comparePackageAccounts(accounts: LedgerAccounts, parcel: PackageFacts, findings: Findings): void {
  const subject = subjectOf(parcel);
  const account = accounts.takeListing(parcel, PACKAGE_KIND, { subject, what: 'package account' });
  if (account === undefined) return;
  const same: SameOnLedger = (what, found, replayed) =>
    findings.sameOnLedger(subject, what, found, replayed, parcel.latestSignature);
  const data = getPackageDecoder().decode(account.bytes);
  same('version', data.version, parcel.terms === null ? PLAIN : WITH_TERMS);
  same('status', PackageStatus[data.status] ?? null, STATUS[parcel.status] ?? null);
  same('shipper', data.shipper, parcel.poster);
  compareListingAccount(data, parcel, same);
  same('formation', data.formation, parcel.formation?.latestNumber ?? 0);
  compareTerms(unwrapOption(data.terms), parcel.terms, same);
  if (parcel.formation && !isOver(parcel)) compareSwarm({ accounts, subject, same }, parcel, parcel.formation);
}

const TERMS: Record<keyof Terms, string> = {
  receiver: 'receiver',
  arbiter: 'arbiter',
  stake: 'stake in lamports',
  carry: 'seconds to carry',
  handoff: 'seconds to hand over',
  review: 'seconds to review',
  arbitration: 'seconds to rule',
  flags: 'flags',
};

function compareTerms(found: Terms | null, terms: Terms | null, same: SameOnLedger): void {
  for (const field of Object.keys(TERMS) as (keyof Terms)[]) {
    same(`its terms' ${TERMS[field]}`, found?.[field] ?? null, terms?.[field] ?? null);
  }
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
  same("its swarm's lamports", data.totalLamports, formation.totalLamports);
  same("its swarm's assigned lamports", data.assignedLamports, formation.assignedLamports);
  same("its swarm's completed legs", data.completedLegs, completedLegs(formation).length);
  const paid = formation.legs.reduce((sum, leg) => sum + (leg.paidLamports ?? 0n), 0n);
  same("its swarm's paid lamports", data.paidLamports, paid);
  formation.legs.forEach((leg, index) => {
    const found = accounts.take(leg.address, LEG_KIND, { subject, what: 'leg account' });
    if (found) compareLeg(found, leg, parcel, (what, ...values) => same(`leg ${index}'s ${what}`, ...values));
  });
}

function compareLeg(
  { bytes, aboveRent }: LedgerAccount,
  leg: LegFacts,
  parcel: PackageFacts,
  same: SameOnLedger,
): void {
  const data = getLegDecoder().decode(bytes);
  const stage = leg.turn?.stage ?? (leg.confirmSignature === null ? 'pending' : 'completed');
  same('version', data.version, leg.turn === null ? PLAIN : WITH_TERMS);
  same('status', LegStatus[data.status] ?? null, LegStatus[STAGE[stage]] ?? null);
  same('courier', data.courier, leg.courier);
  same('payment', data.paymentLamports, leg.paymentLamports);
  compareTurn(unwrapOption(data.turn), leg, parcel, same);
  const stakes = BigInt(leg.turn ? STAKES_HELD[stage] : 0) * (parcel.terms?.stake ?? 0n);
  // A stranger may have added to it.
  if (aboveRent < stakes) same('lamports above its rent', aboveRent, stakes);
}

/** Compares the turn of a leg with terms. */
function compareTurn(
  found: Turn | null,
  { turn, formation }: LegFacts,
  parcel: PackageFacts,
  same: SameOnLedger,
): void {
  same('number', found?.formation ?? null, turn && formation);
  if (turn?.since !== null) same('unix second', found?.since ?? null, turn?.since ?? null);
  same('disputer', found?.disputer ?? null, turn && disputerOf(turn, parcel));
  same('percent', found?.percent ?? null, turn && (turn.percent ?? 0));
}

/** Nobody, the lister or the receiver, as the account has it. */
function disputerOf({ disputer }: TurnFacts, { poster }: PackageFacts): number {
  if (disputer === null) return 0;
  return disputer === poster ? 1 : 2;
}
