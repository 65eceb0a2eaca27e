import { resultHash } from '@legwork/protocol/rules';
import type { EvidenceRow } from '@legwork/server/schema';
import { sql } from 'kysely';
import { ROWS_AT_ONCE, type Trx } from '../database.js';
import type { Findings } from '../findings.js';

/** Requires of every text that claims and disputes rest on that its hash is the one it is kept under. Rule T-63. */
export async function compareEvidence(trx: Trx, findings: Findings): Promise<void> {
  // Few at once: a text has up to 256 KiB.
  await sql`declare audited_evidence no scroll cursor for select leg_id, hash, text from evidence`.execute(trx);
  for (;;) {
    const { rows } = await sql<Pick<EvidenceRow, 'leg_id' | 'hash' | 'text'>>`
      fetch ${sql.lit(AT_ONCE)} from audited_evidence`.execute(trx);
    for (const { leg_id: legId, hash, text } of rows) {
      findings.same(`leg ${legId}`, 'the hash of evidence', hash, resultHash(text).hex, null);
    }
    if (rows.length < AT_ONCE) return;
  }
}

const AT_ONCE = ROWS_AT_ONCE / 10;
