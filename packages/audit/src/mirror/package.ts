import type { FormationFacts, PackageFacts, PackageLedgerStatus } from '@legwork/program-client/facts';
import type { PackageStatus } from '@legwork/protocol/contract';
import { packageTermsHash } from '@legwork/protocol/rules';
import type { PackageRow } from '@legwork/server/schema';
import { readFor, rowBatches, ROWS_AT_ONCE, type Trx } from '../database.js';
import { by, type Findings } from '../findings.js';
import { compareEvents } from './events.js';
import { compareEnd, compareTerms, departsFrom, type ListingKind, type Mirrored, type Shown } from './listing.js';
import { dueOfPackage } from './dueEvents.js';
import { compareSwarms, swarmsOf, type SwarmWithLegs } from './swarms.js';

/** With the places that lists find it by, which are rounded. */
type FoundRow = PackageRow & Record<'from_lat' | 'from_lng' | 'to_lat' | 'to_lng', number>;

/** A package that is not a draft, with everything that hangs on it. */
interface MirroredPackage {
  row: FoundRow;
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
  const batches = rowBatches<FoundRow>((after) => {
    const rows = trx
      .selectFrom('packages')
      .selectAll()
      .select(['origin_lat as from_lat', 'origin_lng as from_lng', 'dest_lat as to_lat', 'dest_lng as to_lng'])
      .where('status', '<>', 'draft')
      .orderBy('id');
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

/** The statuses that a row may have for each one on the ledger: the choice of a swarm is in the database before it is on the ledger. */
const STATUSES_HERE: Record<PackageLedgerStatus, readonly PackageStatus[]> = {
  listed: ['listed', 'swarm_forming'],
  forming: ['swarm_forming'],
  in_transit: ['in_transit'],
  delivered: ['delivered'],
  cancelled: ['failed'],
  reclaimed: ['failed'],
};

function compare({ found, events, asset }: Mirrored<MirroredPackage>, parcel: PackageFacts, findings: Findings): void {
  const { row, swarms } = found;
  const subject = `package ${row.id}`;
  const { status, statusSignature } = parcel;
  const abandoned = abandonedFormation(parcel);
  const formation = abandoned ? undefined : parcel.formation;
  compareTerms(subject, row, { listing: parcel, asset }, shownBy(row), findings);
  if (!STATUSES_HERE[status].includes(row.status)) {
    findings.same(subject, 'status', row.status, status, statusSignature);
  }
  compareEnd(subject, row, parcel, findings);
  if (!isFoundWhereItIs(row)) findings.differ(subject, 'lists look for it in another place than it shows');
  findings.same(subject, 'formation', row.formation, formation?.latestNumber ?? 0, formation?.formSignature ?? null);
  compareSwarms(row.id, swarms, { ...parcel, formation }, findings);
  if (abandoned) {
    const { number, formSignature } = abandoned;
    findings.note(
      subject,
      `formation ${number} was begun elsewhere and reclaimed before it was complete${by(formSignature)}`,
    );
  }
  compareEvents(subject, events, dueOfPackage(parcel), findings);
}

/**
 * A formation that ended with its package before all its legs were assigned. The service forms a swarm whole, so it was begun
 * elsewhere; it carried nothing, and the mirror has no row of it.
 */
function abandonedFormation({ formation, status }: PackageFacts): FormationFacts | undefined {
  return formation && status === 'reclaimed' && formation.legs.length < formation.totalLegs ? formation : undefined;
}

/** To half a hundredth of a degree. */
function isFoundWhereItIs(row: FoundRow): boolean {
  const pairs = [
    [row.from_lat, row.origin_lat],
    [row.from_lng, row.origin_lng],
    [row.to_lat, row.dest_lat],
    [row.to_lng, row.dest_lng],
  ] as const;
  return pairs.every(([found, shown]) => Math.abs(found - shown) < 0.005_001);
}

function shownBy(row: PackageRow): Shown {
  const { description, weight_kg: weightKg, volume_litres: volumeLitres, requirements, salt } = row;
  const privateHashes = row.private_hashes;
  const origin = { lat: row.origin_lat, lng: row.origin_lng };
  const destination = { lat: row.dest_lat, lng: row.dest_lng };
  const hash = () =>
    packageTermsHash({ description, origin, destination, weightKg, volumeLitres, requirements, salt, privateHashes });
  const what = requirements === null ? 'weight and volume' : 'weight, volume and requirements';
  return { what: `description, places, ${what}`, hash };
}
