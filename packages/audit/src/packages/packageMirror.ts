import type { Trx } from '../database.js';
import type { LegRow, PackageRow, SwarmRow } from '@legwork/server/schema';
import { readFor, rowBatches, ROWS_AT_ONCE } from '../rowBatches.js';

/** A swarm with its legs in order. */
export interface SwarmWithLegs extends SwarmRow {
  legs: LegRow[];
}

/** A package that is not a draft, with everything that hangs on it. */
export interface MirroredPackage {
  row: PackageRow;
  /** Oldest first. */
  swarms: SwarmWithLegs[];
}

/** The swarms of these packages, by package. */
async function swarmsOf(trx: Trx, packages: readonly PackageRow[]): Promise<Map<string, SwarmWithLegs[]>> {
  const ids = packages.map((row) => row.id);
  const swarms = await trx.selectFrom('swarms').selectAll().where('package_id', 'in', ids).orderBy('id').execute();
  const bySwarm = new Map<string, SwarmWithLegs>(swarms.map((swarm) => [swarm.id, { ...swarm, legs: [] }]));
  if (swarms.length > 0) {
    const swarmIds = [...bySwarm.keys()];
    const legs = trx.selectFrom('legs').selectAll().where('swarm_id', 'in', swarmIds).orderBy('leg_index');
    for (const leg of await legs.execute()) bySwarm.get(leg.swarm_id)?.legs.push(leg);
  }
  const byPackage = new Map<string, SwarmWithLegs[]>(ids.map((id) => [id, []]));
  for (const swarm of bySwarm.values()) byPackage.get(swarm.package_id)?.push(swarm);
  return byPackage;
}

/** Every package but the drafts, by id. */
export async function* readPackages(trx: Trx): AsyncGenerator<MirroredPackage, void> {
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
export async function draftPackages(trx: Trx, addresses: readonly string[]): Promise<PackageRow[]> {
  return readFor(addresses, (some) =>
    trx
      .selectFrom('packages')
      .selectAll()
      .where('status', '=', 'draft')
      .where('on_chain_package', 'in', some)
      .execute(),
  );
}
