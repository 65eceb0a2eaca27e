import { sql } from 'kysely';
import type { Db } from './connect.js';

const AIRDROP_PAUSE = sql<Date>`now() - interval '24 hours'`;

/** Registers the agent, or updates what it gives of its name and capabilities. */
export async function upsertAgent(
  db: Db,
  agent: { pubkey: string; displayName: string | undefined; capabilities: string[] | undefined },
): Promise<void> {
  await db
    .insertInto('agents')
    .values({
      pubkey: agent.pubkey,
      display_name: agent.displayName ?? null,
      ...(agent.capabilities && { capabilities: agent.capabilities }),
    })
    .onConflict((conflict) =>
      conflict.column('pubkey').doUpdateSet((eb) => ({
        display_name: agent.displayName ?? eb.ref('agents.display_name'),
        capabilities: agent.capabilities ?? eb.ref('agents.capabilities'),
      })),
    )
    .execute();
}

/** Takes the wallet's airdrop of these 24 hours; false when it was taken before. */
export async function takeAirdrop(db: Db, pubkey: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('agents')
    .set({ airdropped_at: sql<Date>`now()`, airdrop_signature: null })
    .where('pubkey', '=', pubkey)
    .where((eb) => eb.or([eb('airdropped_at', 'is', null), eb('airdropped_at', '<=', AIRDROP_PAUSE)]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function recordAirdrop(db: Db, pubkey: string, signature: string): Promise<void> {
  await db.updateTable('agents').set({ airdrop_signature: signature }).where('pubkey', '=', pubkey).execute();
}

/** The faucet refused: the wallet may ask again. */
export async function giveAirdropBack(db: Db, pubkey: string): Promise<void> {
  await db
    .updateTable('agents')
    .set({ airdropped_at: null })
    .where('pubkey', '=', pubkey)
    .where('airdrop_signature', 'is', null)
    .execute();
}
