import {
  couriersOf,
  type FormationFacts,
  type PackageFacts,
  type PackageLedgerStatus,
  settleSignatureOf,
  stepsOf,
} from '@legwork/program-client/facts';
import type { SwarmStatus } from '@legwork/protocol/contract';
import type { PackageRow, SwarmRow } from '@legwork/server/schema';
import type { Trx } from '../database.js';
import { by, type Findings } from '../findings.js';
import { clocksOf, compareLeg, compareUnassigned, legsOf, type MovedLegRow } from './legs.js';

/** A swarm with its legs in order, those of former couriers first. */
export interface SwarmWithLegs extends SwarmRow {
  legs: MovedLegRow[];
}

/** The swarms of these packages, by package. */
export async function swarmsOf(trx: Trx, packages: readonly PackageRow[]): Promise<Map<string, SwarmWithLegs[]>> {
  const ids = packages.map((row) => row.id);
  const swarms = await trx.selectFrom('swarms').selectAll().where('package_id', 'in', ids).orderBy('id').execute();
  const bySwarm = new Map<string, SwarmWithLegs>(swarms.map((swarm) => [swarm.id, { ...swarm, legs: [] }]));
  if (swarms.length > 0) {
    const swarmIds = [...bySwarm.keys()];
    for (const leg of await legsOf(trx, swarmIds)) bySwarm.get(leg.swarm_id)?.legs.push(leg);
  }
  const byPackage = new Map<string, SwarmWithLegs[]>(ids.map((id) => [id, []]));
  for (const swarm of bySwarm.values()) byPackage.get(swarm.package_id)?.push(swarm);
  return byPackage;
}

/** A swarm that the ledger has formed, by what its package is there. */
const STATUS_HERE: Record<PackageLedgerStatus, SwarmStatus> = {
  listed: 'failed',
  forming: 'forming',
  in_transit: 'active',
  delivered: 'settled',
  cancelled: 'failed',
  reclaimed: 'failed',
};

/** Compares the swarms of a package, and their legs, with the one that the ledger formed, if it formed any. */
export function compareSwarms(
  packageId: string,
  swarms: readonly SwarmWithLegs[],
  parcel: PackageFacts,
  findings: Findings,
): void {
  const { formation } = parcel;
  const formed = formation && rowOf(swarms, formation);
  if (formation && formed) compareFormed(formed, formation, parcel, findings);
  if (formation && !formed) {
    findings.differ(
      `package ${packageId}`,
      `the swarm of formation ${formation.number} has no row here${by(formation.formSignature)}`,
    );
  }
  for (const swarm of swarms) if (swarm !== formed) compareUnformed(swarm, parcel, findings);
}

/** The row of the swarm that the ledger formed: the one that says so, else the one most likely meant to. */
function rowOf(swarms: readonly SwarmWithLegs[], formation: FormationFacts): SwarmWithLegs | undefined {
  const sameNumber = swarms.filter((swarm) => swarm.formation === formation.number);
  return (
    swarms.find((swarm) => swarm.form_signature === formation.formSignature) ??
    sameNumber.findLast((swarm) => swarm.status !== 'failed') ??
    sameNumber.at(-1)
  );
}

function compareFormed(
  swarm: SwarmWithLegs,
  formation: FormationFacts,
  parcel: PackageFacts,
  findings: Findings,
): void {
  const subject = `swarm ${swarm.id}`;
  const { formSignature } = formation;
  const settled = settleSignatureOf(parcel);
  findings.same(subject, 'status', swarm.status, STATUS_HERE[parcel.status], parcel.statusSignature);
  findings.same(subject, 'formation', swarm.formation, formation.number, formSignature);
  findings.same(subject, 'address', swarm.on_chain_swarm, formation.swarm, formSignature);
  findings.same(subject, 'form signature', swarm.form_signature, formSignature, formSignature);
  findings.same(subject, 'settle signature', swarm.settle_signature, settled, settled);
  findings.same(subject, 'number of legs', swarm.total_legs, formation.totalLegs, formSignature);
  findings.same(subject, 'total in lamports', swarm.total_lamports, formation.reservedLamports, formSignature);
  const untils = clocksOf(parcel, formation.legs);
  for (const { index } of formation.legs) {
    const rows = swarm.legs.filter((row) => row.leg_index === index);
    for (const leg of couriersOf(formation, index)) {
      const row = rows.shift();
      const until = leg === formation.legs[index] ? untils?.[index] : untils && null;
      if (row) compareLeg(row, { leg, until, steps: stepsOf(parcel, leg) }, findings);
      else findings.differ(subject, `leg ${index} has no row here${by(leg.assignSignature)}`);
    }
    for (const row of rows) findings.differ(`leg ${row.id}`, `is of a courier that leg ${index} never had`);
  }
  for (const row of swarm.legs) {
    if (row.leg_index < formation.legs.length) continue;
    findings.differ(`leg ${row.id}`, `is leg ${row.leg_index} here; the ledger's swarm has none of that number`);
  }
}

/** A choice that never came to be on the ledger: it is still to be sent, or has failed. */
function compareUnformed(swarm: SwarmWithLegs, parcel: PackageFacts, findings: Findings): void {
  const awaited = swarm.status === 'forming' && parcel.status === 'listed';
  if (!awaited && swarm.status !== 'failed') {
    const why = by(parcel.statusSignature);
    findings.differ(
      `swarm ${swarm.id}`,
      `status is ${swarm.status} here; the ledger has not formed it, its package is ${parcel.status} there${why}`,
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
  for (const leg of swarm.legs) compareUnassigned(leg, findings);
}
