import {
  CONFIG_KIND,
  getLegDecoder,
  getPackageDecoder,
  getReputationDecoder,
  getSwarmDecoder,
  LEG_KIND,
  LegStatus,
  PACKAGE_KIND,
  PackageStatus,
  REPUTATION_KIND,
  SWARM_KIND,
  SwarmStatus,
} from '@agent-relay/program-client';
import { reliabilityScore } from '@agent-relay/protocol';
import { type Address, address, getBase64Encoder, type ReadonlyUint8Array } from '@solana/kit';
import { ask } from '../chain/ledgerRpc.js';
import { type AuditedLedger, patiently } from './auditedLedger.js';
import {
  completedLegs,
  type FormationFacts,
  isOver,
  type LedgerFacts,
  type LegFacts,
  type PackageFacts,
  type ReputationFacts,
} from './facts.js';
import type { Findings, Value } from './findings.js';

/** The program's accounts by address; each is taken out when it is compared. */
type Accounts = Map<string, ReadonlyUint8Array>;

const AT_ONCE = 100;

const STATUS: Record<PackageFacts['status'], string | undefined> = {
  listed: PackageStatus[PackageStatus.Listed],
  forming: PackageStatus[PackageStatus.Forming],
  in_transit: PackageStatus[PackageStatus.InTransit],
  delivered: PackageStatus[PackageStatus.Delivered],
  cancelled: PackageStatus[PackageStatus.Cancelled],
  reclaimed: PackageStatus[PackageStatus.Reclaimed],
};

async function readAccounts({ rpc, programAddress }: AuditedLedger): Promise<Accounts> {
  const found = await patiently(() =>
    ask(rpc.getProgramAccounts(programAddress, { commitment: 'confirmed', encoding: 'base64' })),
  );
  return new Map(found.map(({ pubkey, account }) => [pubkey, getBase64Encoder().encode(account.data[0])]));
}

/** The account's bytes, once; a difference when there is none, or one of another kind. */
function take(
  accounts: Accounts,
  at: string,
  kind: number,
  { findings, subject, what }: { findings: Findings; subject: string; what: string },
): ReadonlyUint8Array | undefined {
  const bytes = accounts.get(at);
  accounts.delete(at);
  if (bytes?.[0] === kind) return bytes;
  findings.differ(subject, `${what} ${at} is not on the ledger, though its transactions made one`);
  return undefined;
}

function comparePackage(accounts: Accounts, item: PackageFacts, findings: Findings): void {
  const subject = `package ${item.id}`;
  const same = (what: string, account: Value, replayed: Value) =>
    findings.sameOnLedger(subject, what, account, replayed, item.latestSignature);
  if (item.closeSignature !== null) {
    // The empty account stays, so that the id stays used: rule P-67.
    same('size', accounts.get(item.address)?.length ?? null, 0);
    accounts.delete(item.address);
    return;
  }
  const bytes = take(accounts, item.address, PACKAGE_KIND, { findings, subject, what: 'package account' });
  if (bytes === undefined) return;
  const data = getPackageDecoder().decode(bytes);
  same('status', PackageStatus[data.status] ?? null, STATUS[item.status] ?? null);
  same('shipper', data.shipper, item.shipper);
  same('funder', data.funder, item.funder);
  same('budget in lamports', data.maxBudget, item.budgetLamports);
  same('paid lamports', data.paid, item.paidLamports);
  same('deadline in unix seconds', data.deadline, item.deadline);
  same('terms hash', Buffer.from(data.termsHash).toString('hex'), item.termsHash);
  same('formation', data.formation, item.formation?.number ?? 0);
  if (item.formation && !isOver(item)) compareSwarm(accounts, item, item.formation, findings);
}

function compareSwarm(
  accounts: Accounts,
  { id, latestSignature }: PackageFacts,
  formation: FormationFacts,
  findings: Findings,
): void {
  const subject = `package ${id}`;
  const same = (what: string, account: Value, replayed: Value) =>
    findings.sameOnLedger(subject, what, account, replayed, latestSignature);
  const bytes = take(accounts, formation.swarm, SWARM_KIND, { findings, subject, what: 'swarm account' });
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
    const found = take(accounts, leg.address, LEG_KIND, { findings, subject, what: 'leg account' });
    if (found) compareLeg(found, leg, (what, ...values) => same(`leg ${index}'s ${what}`, ...values));
  });
}

function compareLeg(
  bytes: ReadonlyUint8Array,
  leg: LegFacts,
  same: (what: string, account: Value, replayed: Value) => void,
): void {
  const data = getLegDecoder().decode(bytes);
  const status = LegStatus[leg.confirmSignature === null ? LegStatus.Pending : LegStatus.Completed];
  same('status', LegStatus[data.status] ?? null, status ?? null);
  same('courier', data.courier, leg.courier);
  same('payment', data.paymentLamports, leg.paymentLamports);
}

function compareReputation(accounts: Accounts, agent: string, reputation: ReputationFacts, findings: Findings): void {
  const subject = `agent ${agent}`;
  const { address: at, accepted, completed, signature } = reputation;
  const same = (what: string, account: Value, replayed: Value) =>
    findings.sameOnLedger(subject, what, account, replayed, signature);
  const bytes = take(accounts, at, REPUTATION_KIND, { findings, subject, what: 'reputation account' });
  if (bytes === undefined) return;
  const data = getReputationDecoder().decode(bytes);
  same('legs accepted', data.legsAccepted, accepted);
  same('legs completed', data.legsCompleted, completed);
  same('reliability score', data.reliabilityScore, reliabilityScore(completed, accepted));
}

/** A vault holds at least what is not paid yet, and the rent of an empty account; a stranger may have added to it. */
async function compareVaults(
  ledger: AuditedLedger,
  packages: readonly PackageFacts[],
  rentMinimum: bigint,
  findings: Findings,
): Promise<void> {
  const vaults: Address[] = packages.map((item) => address(item.vault));
  const { value } = await patiently(() =>
    ask(ledger.rpc.getMultipleAccounts(vaults, { commitment: 'confirmed', encoding: 'base64' })),
  );
  packages.forEach((item, index) => {
    const held = value[index]?.lamports ?? 0n;
    const owed = item.budgetLamports - item.paidLamports + rentMinimum;
    if (held >= owed) return;
    findings.differ(`package ${item.id}`, `its vault holds ${held} lamports, at least ${owed} by its transactions`);
  });
}

/** Compares the accounts that the ledger has now with what its transactions made. */
export async function compareAccounts(ledger: AuditedLedger, facts: LedgerFacts, findings: Findings): Promise<void> {
  const rentMinimum = await patiently(() => ask(ledger.rpc.getMinimumBalanceForRentExemption(0n)));
  const accounts = await readAccounts(ledger);
  const open: PackageFacts[] = [];
  for (const item of facts.packages.values()) {
    comparePackage(accounts, item, findings);
    if (!isOver(item)) open.push(item);
  }
  for (const [agent, reputation] of facts.reputations) compareReputation(accounts, agent, reputation, findings);
  for (const [at, bytes] of accounts) {
    if (bytes[0] !== CONFIG_KIND) findings.differ(`account ${at}`, 'is on the ledger, and no transaction explains it');
  }
  for (let from = 0; from < open.length; from += AT_ONCE) {
    await compareVaults(ledger, open.slice(from, from + AT_ONCE), rentMinimum, findings);
  }
}
