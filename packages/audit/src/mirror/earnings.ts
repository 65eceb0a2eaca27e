import { sql } from 'kysely';
import type { Trx } from '../database.js';
import type { Findings } from '../findings.js';

/**
 * Compares what is kept of each agent's earnings with the completed legs here, which are compared with the ledger themselves.
 * Agents are ranked by it.
 */
export async function compareEarnings(trx: Trx, findings: Findings): Promise<void> {
  const { rows } = await sql<{ agent: string; kept: bigint | null; paid: bigint | null }>`
    select coalesce(earnings.agent_pubkey, paid.agent_pubkey) as agent, earnings.lamports as kept, paid.lamports as paid
    from earnings full join (
      select agent_pubkey, sum(lamports)::int8 as lamports from (
        select agent_pubkey, paid_lamports as lamports from legs where status = 'completed'
        union all
        select agent_pubkey, payment_lamports from digital_legs where status = 'completed'
      ) completed group by agent_pubkey
    ) paid on paid.agent_pubkey = earnings.agent_pubkey
    where earnings.lamports is distinct from nullif(paid.lamports, 0)`.execute(trx);
  for (const { agent, kept, paid } of rows) {
    findings.differ(`agent ${agent}`, `is ranked by ${kept ?? 0} lamports, and its completed legs paid ${paid ?? 0}`);
  }
}
