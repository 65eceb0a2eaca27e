import type { SwarmStatus } from '@legwork/protocol/contract';
import type { LegRow, SwarmRow } from '@legwork/server/schema';
import type { SwarmWithLegs } from './packageMirror.js';
import { settleSignatureOf } from '../facts.js';
import { by, type Findings } from '../findings.js';
import type { FormationFacts, LegFacts, PackageFacts, PackageLedgerStatus } from './packageFacts.js';

/** A swarm that the ledger has formed, by what its package is there. */
const STATUS_HERE: Record<PackageLedgerStatus, SwarmStatus> = {
  listed: 'failed',
  forming: 'forming',
  in_transit: 'active',
  delivered: 'settled',
  cancelled: 'failed',
  reclaimed: 'failed',
};

/** The row of the swarm that the ledger formed: the one that says so, else the one most likely meant to. */
function rowOf(swarms: readonly SwarmWithLegs[], formation: FormationFacts): SwarmWithLegs | undefined {
  const sameNumber = swarms.filter((swarm) => swarm.formation === formation.number);
  return (
    swarms.find((swarm) => swarm.form_signature === formation.formSignature) ??
    sameNumber.findLast((swarm) => swarm.status !== 'failed') ??
    sameNumber.at(-1)
  );
}

function compareFormed(swarm: SwarmWithLegs, formation: FormationFacts, item: PackageFacts, findings: Findings): void {
  const subject = `swarm ${swarm.id}`;
  const { formSignature } = formation;
  const settled = settleSignatureOf(item);
  findings.same(subject, 'status', swarm.status, STATUS_HERE[item.status], item.statusSignature);
  findings.same(subject, 'formation', swarm.formation, formation.number, formSignature);
  findings.same(subject, 'address', swarm.on_chain_swarm, formation.swarm, formSignature);
  findings.same(subject, 'form signature', swarm.form_signature, formSignature, formSignature);
  findings.same(subject, 'settle signature', swarm.settle_signature, settled, settled);
  findings.same(subject, 'number of legs', swarm.total_legs, formation.totalLegs, formSignature);
  findings.same(subject, 'total in lamports', swarm.total_lamports, formation.totalLamports, formSignature);
  formation.legs.forEach((leg, index) => {
    const row = swarm.legs.find((candidate) => candidate.leg_index === index);
    if (row) compareLeg(row, leg, formSignature, findings);
    else findings.differ(subject, `leg ${index} has no row here${by(formSignature)}`);
  });
  for (const row of swarm.legs) {
    if (row.leg_index < formation.legs.length) continue;
    findings.differ(`leg ${row.id}`, `is leg ${row.leg_index} here; the ledger's swarm has none of that number`);
  }
}

function compareLeg(row: LegRow, leg: LegFacts, formSignature: string, findings: Findings): void {
  const subject = `leg ${row.id}`;
  const { confirmSignature } = leg;
  findings.same(subject, 'courier', row.agent_pubkey, leg.courier, formSignature);
  findings.same(subject, 'payment in lamports', row.agreed_payment_lamports, leg.paymentLamports, formSignature);
  findings.same(subject, 'address', row.on_chain_leg, leg.address, formSignature);
  findings.same(subject, 'status', row.status, confirmSignature === null ? 'pending' : 'completed', confirmSignature);
  findings.same(subject, 'confirm signature', row.confirm_signature, confirmSignature, confirmSignature);
}

/** A choice that never came to be on the ledger: it is still to be sent, or has failed. */
function compareUnformed(swarm: SwarmWithLegs, item: PackageFacts, findings: Findings): void {
  const awaited = swarm.status === 'forming' && item.status === 'listed';
  if (!awaited && swarm.status !== 'failed') {
    const why = by(item.statusSignature);
    findings.differ(
      `swarm ${swarm.id}`,
      `status is ${swarm.status} here; the ledger has not formed it, its package is ${item.status} there${why}`,
    );
  }
  const claims: [keyof SwarmRow, string][] = [
    ['form_signature', 'form signature'],
    ['settle_signature', 'settle signature'],
  ];
  for (const [column, what] of claims) {
    const value = swarm[column];
    if (typeof value === 'string') findings.same(`swarm ${swarm.id}`, what, value, null, null);
  }
  for (const leg of swarm.legs) findings.same(`leg ${leg.id}`, 'status', leg.status, 'pending', null);
}

/** Compares the swarms of a package, and their legs, with the one that the ledger formed, if it formed any. */
export function compareSwarms(
  packageId: string,
  swarms: readonly SwarmWithLegs[],
  item: PackageFacts,
  findings: Findings,
): void {
  const { formation } = item;
  const formed = formation && rowOf(swarms, formation);
  if (formation && formed) compareFormed(formed, formation, item, findings);
  if (formation && !formed) {
    findings.differ(
      `package ${packageId}`,
      `the swarm of formation ${formation.number} has no row here${by(formation.formSignature)}`,
    );
  }
  for (const swarm of swarms) if (swarm !== formed) compareUnformed(swarm, item, findings);
}
