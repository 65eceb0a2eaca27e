import { createLegworkClient } from '@legwork/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepDrafts } from '../../src/sweeps.js';
import type { AppContext } from '../../src/context.js';
import { draft } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { land, listingOf, signed } from '../support/transactions.js';
import { until } from '../support/until.js';

const service = withService();
let context: AppContext;
let shipper: Party;

beforeAll(async () => {
  context = await service.current.context();
  shipper = await service.current.party(2);
});
afterAll(() => context.db.destroy());

/** A draft of this age, in minutes, and the transaction built for it. */
async function draftOf(ageMinutes: number): Promise<{ id: string; built: string }> {
  const { packageId: id, transaction } = await shipper.client.buildListTx({
    ...draft(),
    shipperPubkey: shipper.pubkey,
  });
  await context.db
    .updateTable('packages')
    .set({ created_at: new Date(Date.now() - ageMinutes * 60_000) })
    .where('id', '=', id)
    .execute();
  return { id, built: transaction };
}

async function isKept(id: string): Promise<boolean> {
  return (await context.db.selectFrom('packages').select('id').where('id', '=', id).execute()).length === 1;
}

async function isListed(id: string): Promise<boolean> {
  const row = await context.db.selectFrom('packages').select('status').where('id', '=', id).executeTakeFirst();
  return row?.status === 'listed';
}

describe('old drafts', () => {
  test('are removed after an hour, unless an intent is open for them (S-75)', async () => {
    const [old, young, intended] = [await draftOf(61), await draftOf(59), await draftOf(61)];
    await context.db
      .insertInto('outbox')
      .values({
        kind: 'list_package',
        subject: `package:${intended.id}`,
        unique_key: `list_package:${intended.id}`,
        payload: JSON.stringify({ packageId: intended.id }),
        available_at: new Date(Date.now() + 3_600_000),
      })
      .execute();
    expect(await sweepDrafts(context)).toBe(1);
    expect([await isKept(old.id), await isKept(young.id), await isKept(intended.id)]).toEqual([false, true, true]);
  });

  test('whose listing the ledger shows are kept for the mirror, which has not come to them yet (S-54)', async () => {
    const { id, built } = await draftOf(61);
    await service.current.stop();
    await land(
      service.current,
      await signed(service.current, [shipper.signer], [listingOf(service.current, shipper.signer, built)]),
    );
    expect(await sweepDrafts(context)).toBe(0);
    await service.current.restart();
    const renewed = createLegworkClient({ url: service.current.server.url });
    await until(`package ${id} is listed`, () => isListed(id));
    expect(await renewed.getPackage({ packageId: id })).toMatchObject({ id, status: 'listed' });
  });
});
