import type { PackageFailureReason, Lamports, LegStatus, PackageStatus, SwarmStatus } from '@agent-relay/protocol';
import type { ColumnType, Generated, Insertable, JSONColumnType, Selectable } from 'kysely';

/** timestamptz: a Date when read; defaults may be left to the database. */
type DefaultNow = ColumnType<Date, Date | undefined, Date>;

export interface MetaTable {
  key: string;
  value: string;
}

export interface AgentsTable {
  pubkey: string;
  display_name: string | null;
  capabilities: Generated<string[]>;
  registered_at: DefaultNow;
  airdropped_at: Date | null;
  airdrop_signature: string | null;
}

/** Mirror of the on-chain reputation accounts. */
export interface ReputationsTable {
  agent_pubkey: string;
  on_chain_pda: string;
  legs_accepted: bigint;
  legs_completed: bigint;
  reliability_score: number;
  /** Slot of the reading; an older reading never replaces a newer one. */
  slot: bigint;
  mirrored_at: Date;
}

export interface PackagesTable {
  id: string;
  status: PackageStatus;
  failure_reason: PackageFailureReason | null;
  shipper_pubkey: string;
  funder_pubkey: string;
  origin_lat: number;
  origin_lng: number;
  dest_lat: number;
  dest_lng: number;
  description: string;
  weight_kg: number;
  volume_litres: number;
  max_budget_lamports: Lamports;
  deadline: Date;
  terms_hash: string;
  on_chain_package: string;
  on_chain_vault: string;
  list_signature: string | null;
  settle_signature: string | null;
  refund_lamports: Lamports | null;
  /** Raised by every change of the package's live bids: a search on an older version does not count. */
  bids_version: Generated<bigint>;
  /** Formations that were committed to the ledger's account: the next one is this + 1. */
  formation: Generated<number>;
  /** When the next evaluation is due; null: none is. */
  evaluate_at: Date | null;
  failed_formations: Generated<number>;
  created_at: DefaultNow;
  listed_at: Date | null;
}

export interface BidsTable {
  id: string;
  package_id: string;
  agent_pubkey: string;
  pickup_lat: number;
  pickup_lng: number;
  dropoff_lat: number;
  dropoff_lng: number;
  distance_km: number;
  estimated_duration_min: number;
  cost_lamports: Lamports;
  reasoning: string | null;
  expires_at: Date;
  created_at: DefaultNow;
  /** Live until it is replaced by a newer one, or excluded by a formation that failed because of it. */
  ended_at: Date | null;
  ended_because: 'replaced' | 'excluded' | null;
}

export interface SwarmsTable {
  id: string;
  package_id: string;
  status: SwarmStatus;
  formation: number;
  on_chain_swarm: string;
  form_signature: string | null;
  settle_signature: string | null;
  total_legs: number;
  total_lamports: Lamports;
  exact: boolean;
  failure: string | null;
  created_at: DefaultNow;
}

export interface LegsTable {
  id: string;
  swarm_id: string;
  leg_index: number;
  bid_id: string;
  agent_pubkey: string;
  pickup_lat: number;
  pickup_lng: number;
  dropoff_lat: number;
  dropoff_lng: number;
  distance_km: number;
  estimated_duration_min: number;
  cost_lamports: Lamports;
  agreed_payment_lamports: Lamports;
  status: LegStatus;
  on_chain_leg: string;
  confirm_signature: string | null;
  completed_at: Date | null;
}

export type IntentKind = 'form_swarm' | 'settle';

export interface OutboxTable {
  id: Generated<bigint>;
  kind: IntentKind;
  /** Intents of one subject run in the order of their ids. */
  subject: string;
  unique_key: string;
  payload: JSONColumnType<{ swarmId: string }>;
  /** pending: to be signed; sent: signed and persisted, outcome not known; done; failed: given up, with last_error. */
  status: Generated<'pending' | 'sent' | 'done' | 'failed'>;
  attempts: Generated<number>;
  available_at: DefaultNow;
  lease_token: string | null;
  leased_until: Date | null;
  signature: string | null;
  transaction: Buffer | null;
  last_valid_block_height: bigint | null;
  last_error: string | null;
  created_at: DefaultNow;
  updated_at: DefaultNow;
}

export interface EventsTable {
  id: Generated<bigint>;
  /** Given in commit order by the sequencer; null until then. */
  seq: bigint | null;
  type: string;
  subject: string;
  /** The payload in its wire form. */
  payload: JSONColumnType<Record<string, unknown>>;
  occurred_at: DefaultNow;
}

export interface NoncesTable {
  pubkey: string;
  nonce: string;
  used_at: DefaultNow;
}

export interface Database {
  meta: MetaTable;
  agents: AgentsTable;
  reputations: ReputationsTable;
  packages: PackagesTable;
  bids: BidsTable;
  swarms: SwarmsTable;
  legs: LegsTable;
  outbox: OutboxTable;
  events: EventsTable;
  nonces: NoncesTable;
}

export type PackageRow = Selectable<PackagesTable>;
export type BidRow = Selectable<BidsTable>;
export type SwarmRow = Selectable<SwarmsTable>;
export type LegRow = Selectable<LegsTable>;
export type OutboxRow = Selectable<OutboxTable>;
export type ReputationRow = Selectable<ReputationsTable>;
export type NewLeg = Insertable<LegsTable>;
