import { createUuid, toLamports } from '@legwork/protocol/contract';
import { generateKeyPairSigner, getAddressDecoder } from '@solana/kit';
import type { Insertable } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import type { PackagesTable } from '../../src/db/schema.js';
import { personal } from '../../src/db/sealing.js';

/** A wallet's address that nothing else knows. */
export async function newWallet(): Promise<string> {
  return (await generateKeyPairSigner()).address;
}

/** An address that nobody has the key of. */
function newAddress(): string {
  return getAddressDecoder().decode(crypto.getRandomValues(new Uint8Array(32)));
}

/** A row of a package that is listed unless told otherwise; no ledger knows it. */
export function packageRow(changes: Partial<Insertable<PackagesTable>> = {}): Insertable<PackagesTable> {
  const shipper = newAddress();
  return {
    id: createUuid(),
    status: 'listed',
    shipper_pubkey: shipper,
    funder_pubkey: shipper,
    origin_lat: 0,
    origin_lng: 0,
    dest_lat: 1,
    dest_lng: 1,
    description: personal('a row'),
    weight_kg: 1,
    volume_litres: 1,
    max_budget_lamports: toLamports(9n),
    deadline: new Date(),
    terms_hash: 'hash',
    on_chain_package: newAddress(),
    on_chain_vault: newAddress(),
    list_signature: 'signature',
    listed_at: new Date(),
    ...changes,
  };
}

/** Inserts many rows in few statements. */
export async function insertPackages(db: Db, rows: readonly Insertable<PackagesTable>[]): Promise<void> {
  const rowsAStatement = 1_000;
  for (let from = 0; from < rows.length; from += rowsAStatement) {
    await db
      .insertInto('packages')
      .values(rows.slice(from, from + rowsAStatement))
      .execute();
  }
}
