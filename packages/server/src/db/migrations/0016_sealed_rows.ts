import { type Kysely, sql } from 'kysely';

/** Columns that may hold what is sealed. The month of its key stands at its beginning, 15 characters. */
const SEALED_COLUMNS = {
  packages: ['description', 'personal'],
  bids: ['reasoning', 'personal'],
  legs: ['personal'],
  evidence: ['text'],
  digital_tasks: ['title', 'description', 'personal'],
  digital_legs: ['instruction', 'result'],
  events: ['personal'],
  decisions: ['chosen'],
  signed_calls: ['body'],
  idempotency_keys: ['body'],
};

/** Rows of a month lie beside each other: an index of ranges is small, and costs nothing to keep. */
const byMonth = ([table, columns]: [string, string[]]) =>
  `create index ${table}_sealed on ${table} using brin (${columns.map((column) => `left(${column}, 15)`).join(', ')})
    with (autosummarize = on)`;

const STATEMENTS = [
  ...['packages', 'bids', 'legs', 'digital_tasks', 'events'].map((table) => `alter table ${table} add personal text`),
  `alter table idempotency_keys add ids text[] not null default '{}'`,
  `update idempotency_keys set ids = array(
    select (regexp_matches(body, '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g'))[1]) where body is not null`,
  // Two places may have the same whole degrees; who holds the package's lock compares them.
  `drop index bids_one_live`,
  `create index bids_live on bids (package_id, agent_pubkey) where ended_at is null and leg_id is null`,
  ...Object.entries(SEALED_COLUMNS).map(byMonth),
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
