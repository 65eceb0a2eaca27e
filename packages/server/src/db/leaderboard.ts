import { sql } from 'kysely';
import type { Db } from './connect.js';
import type { ReputationRow } from './schema.js';

/** A mirrored reputation with the name its agent gave. */
export interface RankedRow extends ReputationRow {
  display_name: string | null;
}

/** The agents of the best score; equal scores by legs completed, then by address in the order of its bytes. */
export async function mostReliable(db: Db, limit: number): Promise<RankedRow[]> {
  return db
    .selectFrom('reputations')
    .leftJoin('agents', 'agents.pubkey', 'reputations.agent_pubkey')
    .selectAll('reputations')
    .select('agents.display_name')
    .orderBy('reputations.reliability_score', 'desc')
    .orderBy('reputations.legs_completed', 'desc')
    .orderBy(sql`reputations.agent_pubkey collate "C"`)
    .limit(limit)
    .execute();
}
