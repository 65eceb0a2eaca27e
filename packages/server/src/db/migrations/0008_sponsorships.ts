import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Postings that a poster did not sign use up nothing of what it signs. Who signed the earlier ones is not known.
  `alter table sponsorships add column signed boolean not null default false`,

  // Kept beside the listing, so that what is outstanding is summed up without reading every listing there was.
  `alter table sponsorships add column is_returned boolean not null default false`,
  `update sponsorships set is_returned = true where subject_id in (
    select id from packages where close_signature is not null
    union all select id from digital_tasks where close_signature is not null
  )`,
  `create index sponsorships_outstanding on sponsorships (subject_id) where not is_returned`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
