import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // With what a search in a circle has to know of each package in it: to fetch their rows takes many times as long.
  `drop index work_by_place`,
  // PostgreSQL takes no two indexes together that are both of open rows alone, so this one is of all.
  `create index work_by_place on work_package using gist (point(lng, lat)) include (lat, lng, listing_id, is_open)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
