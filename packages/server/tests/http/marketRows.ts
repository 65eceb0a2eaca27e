import { toLamports } from '@legwork/protocol/contract';
import type { Insertable } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import type { PackagesTable } from '../../src/db/schema.js';
import { SHIPPER } from './fixtures.js';
import { newSigner } from './service.js';
import { personal } from '../../src/db/sealing.js';

/** A listed package. */
export async function listPackage(db: Db, id: string): Promise<void> {
  const row: Insertable<PackagesTable> = {
    id,
    status: 'listed',
    failure_reason: null,
    shipper_pubkey: SHIPPER,
    funder_pubkey: SHIPPER,
    origin_lat: 0,
    origin_lng: 0,
    dest_lat: 1,
    dest_lng: 1,
    description: personal('x'),
    weight_kg: 1,
    volume_litres: 1,
    max_budget_lamports: toLamports(9n),
    deadline: new Date(),
    terms_hash: 'x',
    on_chain_package: newSigner().pubkey,
    on_chain_vault: newSigner().pubkey,
    list_signature: 's',
    settle_signature: null,
    refund_lamports: null,
    evaluate_at: null,
    listed_at: new Date(),
  };
  await db.insertInto('packages').values(row).execute();
}
