const PLACES = ['pickup_lat', 'pickup_lng', 'dropoff_lat', 'dropoff_lng'];
const HIDDEN = {
  packages: [...['origin_lat', 'origin_lng', 'dest_lat', 'dest_lng'].map(number), text('salt')],
  bids: PLACES.map(number),
  legs: [...PLACES, 'opening_lat', 'opening_lng'].map(number),
  digital_tasks: [text('salt')],
  events: [`payload = payload || (personal::jsonb -> 'payload')`],
};

function number(column: string): string {
  return `${column} = (personal::jsonb ->> '${column}')::float8`;
}

function text(column: string): string {
  return `${column} = personal::jsonb ->> '${column}'`;
}

/** Statements that bring the rows of a service without keys back to how a version before kept them: as they are. */
export const BEFORE_SEALING = Object.entries(HIDDEN).flatMap(([table, columns]) => [
  `update ${table} set ${columns.join(', ')} where personal is not null`,
  `update ${table} set personal = null`,
]);

/** Statements that take the search for work away. */
export const BEFORE_WORK = [
  ...['packages', 'digital_tasks', 'digital_legs', 'legs'].flatMap((table) => [
    `drop trigger ${table}_work on ${table}`,
    `drop function ${table}_to_work`,
  ]),
  `drop function put_package_work, put_task_work, put_opening_work, per_km, rounded_km, coarse, texts_of`,
  `drop table work`,
];

/** Statements that bring the schema of a service without keys back to the version before terms. Salts stay: hashes on the ledger need them. */
export const BEFORE_TERMS = [
  ...BEFORE_SEALING,
  ...BEFORE_WORK,
  `drop table lapses, courier_readings, webhooks, operator_acts`,
  `drop function operator_acts_stay`,
  `drop index events_by_name, outbox_failed, decisions_by_subject, digital_legs_clocked, digital_legs_unaccepted`,
  ...Object.keys(HIDDEN).map((table) => `alter table ${table} drop column personal`),
  ...[
    'evidence',
    'digital_legs',
    'decisions',
    'signed_calls',
    'idempotency_keys',
    'packages',
    'bids',
    'digital_tasks',
  ].map((table) => `drop index if exists ${table}_sealed`),
  `alter table idempotency_keys drop column ids`,
  `drop index bids_live`,
  ...['packages', 'digital_tasks', 'legs', 'digital_legs'].map((table) => `alter table ${table} drop column asset`),
  `alter table sponsorships drop column purpose`,
  ...['packages', 'digital_tasks'].map(
    (table) => `alter table ${table} drop column document_known, drop column rebuilt_slot`,
  ),
  ...['outbox', 'events'].map((table) => `alter table ${table} drop column trace`),
  `alter table packages drop column evaluate_trace`,
  `drop table fund_shares`,
  `drop table artifacts`,
  `drop table private_readings`,
  `drop table private_parts`,
  `drop index bids_by_call`,
  `alter table bids drop column is_erased`,
  `alter table packages drop column private_hashes, drop column erased_at, drop column erase_call`,
  `alter table digital_tasks drop column erased_at, drop column erase_call`,
  `alter table digital_tasks drop column terms, drop column requirements, drop column formation`,
  `alter table digital_legs drop column formation, drop column stage, drop column since, drop column since_signature, drop column until,
    drop column disputer_pubkey, drop column percent, drop column evidence_hash, drop column reason_hash,
    drop column forfeited_lamports`,
  `drop table evidence`,
  `drop table leg_moves`,
  `alter table bids drop column leg_id`,
  `create unique index bids_one_live on bids (package_id, agent_pubkey, pickup_lat, pickup_lng, dropoff_lat, dropoff_lng)
    where ended_at is null`,
  `alter table legs drop column formation, drop column stage, drop column since, drop column since_signature, drop column until, drop column disputer_pubkey,
    drop column percent, drop column evidence_hash, drop column reason_hash, drop column paid_lamports,
    drop column forfeited_lamports, drop column assign_signature, drop column ended_at, drop column evaluate_at,
    drop column opening_lat, drop column opening_lng`,
  `drop index legs_by_swarm`,
  `alter table legs add constraint legs_swarm_id_leg_index_key unique (swarm_id, leg_index)`,
  `alter table packages drop column terms, drop column requirements`,
  `delete from kysely_migration where name >= '0012'`,
];
