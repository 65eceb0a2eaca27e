import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { formedPackage } from '../../support/market.js';
import { withService } from '../../support/service.js';

const service = withService();

test('a package is shown with its swarm as both are at one moment, whatever changes meanwhile (S-1)', async () => {
  const { shipper, parcel } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
  const { db } = service.current;
  let isReading = true;
  const changing = (async () => {
    for (let pass = 0; isReading; pass += 1) {
      const [status, swarm] =
        pass % 2 === 0 ? (['delivered', 'settled'] as const) : (['in_transit', 'active'] as const);
      await db.transaction().execute(async (trx) => {
        await sql`update packages set status = ${status} where id = ${parcel.id}`.execute(trx);
        await sql`update swarms set status = ${swarm} where package_id = ${parcel.id}`.execute(trx);
      });
    }
    return 'changed';
  })();
  const seen = new Map<string, number>();
  for (let round = 0; round < 20; round += 1) {
    const shown = await Promise.all(
      Array.from({ length: 8 }, () => shipper.client.getPackage({ packageId: parcel.id })),
    );
    for (const { status, swarm } of shown) {
      const pair = `${status}, ${swarm?.status}`;
      seen.set(pair, (seen.get(pair) ?? 0) + 1);
    }
  }
  isReading = false;
  await changing;
  expect([...seen.keys()].sort()).toEqual(['delivered, settled', 'in_transit, active']);
});
