import { createUuid, toLamports } from '@legwork/protocol/contract';
import type { Insertable } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import type { PackagesTable } from '../../src/db/schema.js';
import { SHIPPER } from './fixtures.js';
import { newSigner } from './service.js';

function packageRow(id: string, status: 'listed' | 'in_transit'): Insertable<PackagesTable> {
  return {
    id,
    status,
    failure_reason: null,
    shipper_pubkey: SHIPPER,
    funder_pubkey: SHIPPER,
    origin_lat: 0,
    origin_lng: 0,
    dest_lat: 1,
    dest_lng: 1,
    description: 'x',
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
}

/** A listed package. */
export async function listPackage(db: Db, id: string): Promise<void> {
  await db.insertInto('packages').values(packageRow(id, 'listed')).execute();
}

/** A package with one leg paid and one not. */
export async function deliverOneLeg(db: Db): Promise<void> {
  const [packageId, swarmId] = [createUuid(), createUuid()];
  const place = {
    pickup_lat: 0,
    pickup_lng: 0,
    dropoff_lat: 1,
    dropoff_lng: 1,
    distance_km: 1,
    estimated_duration_min: 1,
  };
  await db.insertInto('packages').values(packageRow(packageId, 'in_transit')).execute();
  await db
    .insertInto('swarms')
    .values({
      id: swarmId,
      package_id: packageId,
      status: 'active',
      formation: 1,
      on_chain_swarm: 's',
      total_legs: 2,
      form_signature: 'f',
      settle_signature: null,
      total_lamports: toLamports(3_000_000_001n),
      exact: true,
      failure: null,
    })
    .execute();
  for (const [index, paid] of [true, false].entries()) {
    const [bidId, agent] = [createUuid(), newSigner().pubkey];
    const expires = { expires_at: new Date(), ended_at: null, ended_because: null, reasoning: null };
    await db
      .insertInto('bids')
      .values({
        id: bidId,
        package_id: packageId,
        agent_pubkey: agent,
        ...place,
        cost_lamports: toLamports(1n),
        ...expires,
      })
      .execute();
    await db
      .insertInto('legs')
      .values({
        id: createUuid(),
        swarm_id: swarmId,
        leg_index: index,
        bid_id: bidId,
        agent_pubkey: agent,
        ...place,
        cost_lamports: toLamports(1n),
        agreed_payment_lamports: toLamports(1_500_000_001n),
        on_chain_leg: 'l',
        ...(paid
          ? { status: 'completed', confirm_signature: 'c', completed_at: new Date() }
          : { status: 'pending', confirm_signature: null, completed_at: null }),
      })
      .execute();
  }
}
