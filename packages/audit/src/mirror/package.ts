import type { PackageStatus } from '@legwork/protocol/contract';
import { packageTermsHash } from '@legwork/protocol/rules';
import type { PackageRow } from '@legwork/server/schema';
import { readFor, rowBatches, ROWS_AT_ONCE, type Trx } from '../database.js';
import { by, type Findings } from '../findings.js';
import { abandonedFormation, completedLegs, type PackageFacts, type PackageLedgerStatus } from '../replay/package.js';
import { endSignatureOf, refundOf, settleSignatureOf } from '../replay/listing.js';
import { compareEvents, type DueEvent, wireInstant } from './events.js';
import { compareEnd, compareTerms, departsFrom, type ListingKind, type Mirrored, type Shown } from './listing.js';
import { compareSwarms, swarmsOf, type SwarmWithLegs } from './swarms.js';

/** A package that is not a draft, with everything that hangs on it. */
interface MirroredPackage {
  row: PackageRow;
  /** Oldest first. */
  swarms: SwarmWithLegs[];
}

/** Packages with their swarms, legs and events. */
export const packageKind: ListingKind<PackageFacts, PackageRow, MirroredPackage> = {
  name: 'package',
  topic: 'package',
  read: readPackages,
  addressOf: (row) => row.on_chain_package,
  countLegs: ({ swarms }) => swarms.reduce((sum, swarm) => sum + swarm.legs.length, 0),
  compare,
  drafts: draftPackages,
  departs: departsFrom,
  workDone: ({ formation }) => formation && 'formed a swarm for it',
};

/** Every package but the drafts, by id. */
async function* readPackages(trx: Trx): AsyncGenerator<MirroredPackage, void> {
  const batches = rowBatches<PackageRow>((after) => {
    const rows = trx.selectFrom('packages').selectAll().where('status', '<>', 'draft').orderBy('id');
    return (after ? rows.where('id', '>', after.id) : rows).limit(ROWS_AT_ONCE).execute();
  });
  for await (const rows of batches) {
    const swarms = await swarmsOf(trx, rows);
    for (const row of rows) yield { row, swarms: swarms.get(row.id) ?? [] };
  }
}

/** The drafts at these addresses. */
async function draftPackages(trx: Trx, addresses: readonly string[]): Promise<PackageRow[]> {
  return readFor(addresses, (some) =>
    trx
      .selectFrom('packages')
      .selectAll()
      .where('status', '=', 'draft')
      .where('on_chain_package', 'in', some)
      .execute(),
  );
}

/** What a row may say while the ledger says so: the choice of a swarm is in the database before it is on the ledger. */
const STATUSES_HERE: Record<PackageLedgerStatus, readonly PackageStatus[]> = {
  listed: ['listed', 'swarm_forming'],
  forming: ['swarm_forming'],
  in_transit: ['in_transit'],
  delivered: ['delivered'],
  cancelled: ['failed'],
  reclaimed: ['failed'],
};

function compare({ found, events }: Mirrored<MirroredPackage>, parcel: PackageFacts, findings: Findings): void {
  const { row, swarms } = found;
  const subject = `package ${row.id}`;
  const { status, statusSignature } = parcel;
  const abandoned = abandonedFormation(parcel);
  const formation = abandoned ? undefined : parcel.formation;
  compareTerms(subject, row, parcel, shownBy(row), findings);
  if (!STATUSES_HERE[status].includes(row.status)) {
    findings.same(subject, 'status', row.status, status, statusSignature);
  }
  compareEnd(subject, row, parcel, findings);
  findings.same(subject, 'formation', row.formation, formation?.number ?? 0, formation?.formSignature ?? null);
  compareSwarms(row.id, swarms, { ...parcel, formation }, findings);
  if (abandoned) {
    const { number, formSignature } = abandoned;
    findings.note(
      subject,
      `formation ${number} was begun elsewhere and reclaimed before it was complete${by(formSignature)}`,
    );
  }
  compareEvents(subject, events, dueEvents(parcel), findings);
}

function shownBy(row: PackageRow): Shown {
  const { description, weight_kg: weightKg, volume_litres: volumeLitres } = row;
  const origin = { lat: row.origin_lat, lng: row.origin_lng };
  const destination = { lat: row.dest_lat, lng: row.dest_lng };
  const hash = () => packageTermsHash({ description, origin, destination, weightKg, volumeLitres });
  return { what: 'description, places, weight and volume', hash };
}

/** The events that the ledger's transactions about a package call for, in their order. */
function dueEvents(parcel: PackageFacts): DueEvent[] {
  const { listSignature, poster: shipperPubkey, address: onChainPackage, status } = parcel;
  const maxBudgetLamports = Number(parcel.budgetLamports);
  const listed = {
    shipperPubkey,
    maxBudgetLamports,
    deadline: wireInstant(parcel.deadline),
    onChainPackage,
    listSignature,
  };
  const due: DueEvent[] = [{ type: 'PACKAGE_LISTED', facts: listed, signature: listSignature }];
  due.push(...dueOfFormation(parcel));
  const settleSignature = settleSignatureOf(parcel);
  if (settleSignature !== null) {
    const facts = { settleSignature, refundLamports: Number(refundOf(parcel)) };
    due.push({ type: 'PACKAGE_DELIVERED', facts, signature: settleSignature });
  }
  const ended = endSignatureOf(parcel);
  if (ended !== null) due.push({ type: 'PACKAGE_FAILED', facts: { failureReason: status }, signature: ended });
  return due;
}

function dueOfFormation({ formation, statusSignature }: PackageFacts): DueEvent[] {
  // The service announces a swarm once all its legs are assigned.
  if (!formation || formation.legs.length < formation.totalLegs) return [];
  const { formSignature } = formation;
  const formed = { onChainSwarm: formation.swarm, formSignature, totalLamports: Number(formation.totalLamports) };
  const chosen = formation.legs.map((leg, legIndex) => ({
    type: 'BID_RECEIVED' as const,
    facts: { legIndex, agentPubkey: leg.courier, agreedPaymentLamports: Number(leg.paymentLamports) },
    signature: formSignature,
  }));
  const confirmed = completedLegs(formation).map((leg, legIndex) => {
    const signature = leg.confirmSignature ?? statusSignature;
    const paymentLamports = Number(leg.paymentLamports);
    return {
      type: 'LEG_CONFIRMED' as const,
      facts: { legIndex, agentPubkey: leg.courier, paymentLamports, signature },
      signature,
    };
  });
  return [{ type: 'SWARM_FORMED', facts: formed, signature: formSignature }, ...chosen, ...confirmed];
}
