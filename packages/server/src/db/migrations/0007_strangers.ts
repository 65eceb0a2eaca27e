import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Keys whose word is their signature; what signed calls left behind says which they are so far.
  `create table signing_keys (
    pubkey text primary key,
    since timestamptz(3) not null default now(),
    asks_for_signatures boolean
  )`,
  `insert into signing_keys (pubkey, asks_for_signatures)
    select pubkey, true from agents where require_signed_calls`,
  `insert into signing_keys (pubkey)
    select pubkey from agents where profile_signed
    union select agent_pubkey from bids where signed
    union select agent_pubkey from digital_legs where signed
    on conflict do nothing`,
  `alter table agents drop column require_signed_calls`,

  // The most that an intent costs the coordinator counts as spent until the ledger has shown it.
  `alter table outbox add column cost_lamports int8 not null default 0 check (cost_lamports >= 0)`,
  `create index outbox_costs on outbox (updated_at) where cost_lamports > 0`,
  `update outbox set cost_lamports = s.lamports from sponsorships s
    where outbox.status in ('pending', 'sent') and outbox.unique_key in ('list_package:' || s.subject_id, 'list_task:' || s.subject_id)`,

  // Reputation accounts that the coordinator pays for, charged to the address that bid.
  `create table newcomers (
    agent_pubkey text primary key,
    client text not null,
    charged_at timestamptz(3) not null default now()
  )`,
  `create index newcomers_by_age on newcomers (charged_at)`,
  `alter table bids add column client text`,
  `create index bids_with_client on bids (expires_at) where client is not null`,
  `alter table digital_legs add column client text`,

  // A reservation whose turn has come waits until its assignment is decided.
  `alter table digital_legs add column turn_at timestamptz(3)`,
  `create index digital_legs_turn on digital_legs (turn_at) where turn_at is not null`,

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
