import { reliabilityScore } from '@legwork/protocol/rules';
import type { Trx } from './database.js';
import type { ReputationRow } from '@legwork/server/schema';
import type { ReputationFacts } from './facts.js';
import type { Findings } from './findings.js';
import { rowBatches, ROWS_AT_ONCE } from './rowBatches.js';

/** Every row of the reputations, by agent. */
export async function* readReputationRows(trx: Trx): AsyncGenerator<ReputationRow, void> {
  const batches = rowBatches<ReputationRow>((after) => {
    const rows = trx.selectFrom('reputations').selectAll().orderBy('agent_pubkey').limit(ROWS_AT_ONCE);
    return (after ? rows.where('agent_pubkey', '>', after.agent_pubkey) : rows).execute();
  });
  for await (const rows of batches) yield* rows;
}

/** Compares a mirrored reputation with what the ledger's transactions add up to; undefined: the agent is in none. */
export function compareReputation(row: ReputationRow, facts: ReputationFacts | undefined, findings: Findings): void {
  const subject = `agent ${row.agent_pubkey}`;
  if (facts === undefined) {
    findings.differ(subject, 'has a reputation here; no transaction of the ledger made one');
    return;
  }
  const { accepted, completed, signature } = facts;
  findings.same(subject, 'legs accepted', row.legs_accepted, accepted, signature);
  findings.same(subject, 'legs completed', row.legs_completed, completed, signature);
  findings.same(subject, 'reliability score', row.reliability_score, reliabilityScore(completed, accepted), signature);
  findings.same(subject, 'reputation address', row.on_chain_pda, facts.address, signature);
}
