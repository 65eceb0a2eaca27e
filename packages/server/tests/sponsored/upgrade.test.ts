import { createUuid } from '@agent-relay/protocol';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { migrate } from '../../src/db/migrate.js';
import { inTransaction } from '../../src/db/transaction.js';
import { readAdvanced } from '../../src/db/sponsorships.js';
import { cancellation } from '../formation/scene.js';
import { withService } from '../support/service.js';
import { land } from '../support/transactions.js';
import { passADay, postSponsored, untilReturned } from './scene.js';

const service = withService();

test('what was advanced before an upgrade counts on as unsigned, and only what is not back is outstanding (M-46)', async () => {
  const { db } = service.current;
  const shipper = await service.current.party(1);
  const [open, over] = [
    await postSponsored(service.current, shipper.pubkey, { maxBudgetSol: 0.2 }),
    await postSponsored(service.current, shipper.pubkey, { maxBudgetSol: 0.3 }),
  ];
  const item = await shipper.client.getPackage({ packageId: over.body.id ?? '' });
  await land(service.current, await cancellation(service.current, shipper, item));
  await untilReturned(service.current, item.id);
  await passADay(service.current);
  await service.current.stop();
  await sql`alter table sponsorships drop column signed, drop column is_returned`.execute(db);
  await sql`delete from kysely_migration where name = '0008_sponsorships'`.execute(db);

  await migrate(db);
  const rows = await db.selectFrom('sponsorships').select(['subject_id', 'signed', 'is_returned']).execute();
  expect(rows.sort((one, other) => Number(one.is_returned) - Number(other.is_returned))).toEqual([
    { subject_id: open.body.id, signed: false, is_returned: false },
    { subject_id: item.id, signed: false, is_returned: true },
  ]);
  const asking = { poster: shipper.pubkey, signed: false, ip: createUuid() };
  const advanced = await inTransaction(db, (trx) => readAdvanced(trx, asking));
  expect(advanced).toMatchObject({ ip: 0n, day: 0n, outstanding: advanced.poster });
  expect(advanced.poster).toBeGreaterThan(200_000_000n);
  expect(advanced.poster).toBeLessThan(300_000_000n);
});
