import { createUuid } from '@legwork/protocol/contract';
import { expect, test } from 'vitest';
import { confirmAll, formedPackage, untilPackage } from '../../support/market.js';
import { withService } from '../../support/service.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { onceFinal } from '../../support/onceFinal.js';

const service = withService();

test('getSwarm shows what the package shows of it, settled too', async () => {
  const market = await formedPackage(service.current, [
    ['zoo', 'hauptbahnhof', 0.03],
    ['hauptbahnhof', 'ostkreuz', 0.05],
  ]);
  const { client } = market.shipper;
  const swarmId = market.parcel.swarm?.id ?? '';
  expect(onceFinal(await client.getSwarm({ swarmId }))).toEqual(onceFinal(market.parcel.swarm));
  await confirmAll(service.current, market);
  const delivered = await untilPackage(service.current, market.parcel.id, ({ status }) => status === 'delivered');
  const settled = await client.getSwarm({ swarmId });
  expect(settled).toMatchObject({ status: 'settled', completedLegs: 2, totalLegs: 2 });
  expect(onceFinal(settled)).toEqual(onceFinal(delivered.swarm));
});

test('getSwarm knows no swarm that never was', async () => {
  const { client } = await service.current.party(0);
  const refusal = await refusalOf(client.getSwarm({ swarmId: createUuid() }));
  expect(refusal).toMatchObject({ status: 404, code: 'not_found', fields: ['swarmId'] });
});
