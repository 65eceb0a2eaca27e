import type { PackageStatus } from '@legwork/protocol/contract';
import { packageTermsHash } from '@legwork/protocol/rules';
import type { PackageRow } from '@legwork/server/schema';
import { compareEvents } from '../compareEvents.js';
import { by, type Findings } from '../findings.js';
import type { ListingKind, Mirrored } from '../listingKind.js';
import { compareEnd, compareTerms, departsFrom, type Shown } from '../listingRow.js';
import { compareSwarms } from './compareSwarms.js';
import { dueEvents } from './packageEvents.js';
import { abandonedFormation, type PackageFacts, type PackageLedgerStatus } from './packageFacts.js';
import { draftPackages, type MirroredPackage, readPackages } from './packageMirror.js';

/** What a row may say while the ledger says so: the choice of a swarm is in the database before it is on the ledger. */
const STATUSES_HERE: Record<PackageLedgerStatus, readonly PackageStatus[]> = {
  listed: ['listed', 'swarm_forming'],
  forming: ['swarm_forming'],
  in_transit: ['in_transit'],
  delivered: ['delivered'],
  cancelled: ['failed'],
  reclaimed: ['failed'],
};

function shownBy(row: PackageRow): Shown {
  const { description, weight_kg: weightKg, volume_litres: volumeLitres } = row;
  const origin = { lat: row.origin_lat, lng: row.origin_lng };
  const destination = { lat: row.dest_lat, lng: row.dest_lng };
  const hash = () => packageTermsHash({ description, origin, destination, weightKg, volumeLitres });
  return { what: 'description, places, weight and volume', hash };
}

function compare({ found, events }: Mirrored<MirroredPackage>, item: PackageFacts, findings: Findings): void {
  const { row, swarms } = found;
  const subject = `package ${row.id}`;
  const { status, statusSignature } = item;
  const abandoned = abandonedFormation(item);
  const formation = abandoned ? undefined : item.formation;
  compareTerms(subject, row, item, shownBy(row), findings);
  if (!STATUSES_HERE[status].includes(row.status)) {
    findings.same(subject, 'status', row.status, status, statusSignature);
  }
  compareEnd(subject, row, item, findings);
  findings.same(subject, 'formation', row.formation, formation?.number ?? 0, formation?.formSignature ?? null);
  compareSwarms(row.id, swarms, { ...item, formation }, findings);
  if (abandoned) {
    const { number, formSignature } = abandoned;
    findings.note(
      subject,
      `formation ${number} was begun elsewhere and reclaimed before it was complete${by(formSignature)}`,
    );
  }
  compareEvents(subject, events, dueEvents(item), findings);
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
