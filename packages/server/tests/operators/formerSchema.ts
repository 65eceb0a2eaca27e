/** What brings the schema back to how the version before terms had it. Salts stay: the hashes on the ledger are made with them. */
export const BEFORE_TERMS = [
  `drop table artifacts`,
  `drop table private_readings`,
  `drop table private_parts`,
  `alter table packages drop column private_hashes`,
  `alter table digital_tasks drop column terms, drop column requirements, drop column formation`,
  `alter table digital_legs drop column formation, drop column stage, drop column since, drop column until,
    drop column disputer_pubkey, drop column percent, drop column evidence_hash, drop column reason_hash,
    drop column forfeited_lamports`,
  `drop table evidence`,
  `drop table leg_moves`,
  `alter table bids drop column leg_id`,
  `create unique index bids_one_live on bids (package_id, agent_pubkey, pickup_lat, pickup_lng, dropoff_lat, dropoff_lng)
    where ended_at is null`,
  `alter table legs drop column formation, drop column stage, drop column since, drop column until, drop column disputer_pubkey,
    drop column percent, drop column evidence_hash, drop column reason_hash, drop column paid_lamports,
    drop column forfeited_lamports, drop column assign_signature, drop column ended_at, drop column evaluate_at,
    drop column opening_lat, drop column opening_lng`,
  `drop index legs_by_swarm`,
  `alter table legs add constraint legs_swarm_id_leg_index_key unique (swarm_id, leg_index)`,
  `alter table packages drop column terms, drop column requirements`,
  `delete from kysely_migration where name >= '0012'`,
];
