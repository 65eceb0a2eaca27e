import { askDatabase } from './outcome.js';

/** Ids of the listings of which the ledger took a transaction back: nothing is done for them, until it shows that again. */
export async function haltedListings(connectionString: string): Promise<string[]> {
  return askDatabase(connectionString, async (database) => {
    const { rows } = await database.query<{ id: string }>(
      `select distinct split_part(subject, ':', 2) as id from ledger_transactions, unnest(subjects) subject
        where reverted_at is not null order by 1`,
    );
    return rows.map(({ id }) => id);
  });
}

/** Subjects of the listings that were written again as the ledger has them. */
export async function healedListings(connectionString: string): Promise<string[]> {
  return askDatabase(connectionString, async (database) => {
    const { rows } = await database.query<{ subject: string }>(
      `select distinct subject from events where type = 'LEDGER_HEALED' order by 1`,
    );
    return rows.map(({ subject }) => subject);
  });
}

/** Says of a finding that names such a listing that it may follow from that. It stays a finding: a soak forks so that all can heal. */
export function ofHalted(finding: string, halted: readonly string[]): string {
  return halted.some((id) => finding.includes(id)) ? `of a halted listing: ${finding}` : finding;
}

/** The digital legs whose claims ended because the ledger took no assignment any more, as after a deadline that passed meanwhile. */
export function refusedLegs(connectionString: string): Promise<string[]> {
  return askDatabase(connectionString, async (database) => {
    const { rows } = await database.query<{ leg: string }>(
      `select payload ->> 'legId' as leg from events where type = 'TASK_LEG_RELEASED' and payload ->> 'reason' in ('refused', 'lapsed')`,
    );
    return rows.map(({ leg }) => leg);
  });
}
