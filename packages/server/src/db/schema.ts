import type {
  DigitalLegStatus,
  FailureReason,
  Lamports,
  LegStatus,
  PackageStatus,
  ReleaseReason,
  SwarmStatus,
  TaskStatus,
} from '@legwork/protocol/contract';
import type { ColumnType, Generated, Insertable, JSONColumnType, Selectable } from 'kysely';

/** timestamptz: a Date when read; defaults may be left to the database. */
type DefaultNow = ColumnType<Date, Date | undefined, Date>;

/** A status is given at the insert; after that only transition() changes it: `set({ status })` does not compile. */
type Status<S extends string> = ColumnType<S, S, never>;

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
  /** Name and capabilities were set by a signed call: an unsigned one no longer changes them. */
  profile_signed: Generated<boolean>;
}

/** Keys that have signed for something that binds them, registered or not. */
export interface SigningKeysTable {
  pubkey: string;
  since: DefaultNow;
  /** What its signed profile asks for: its signature alone, or unsigned calls too; null: it never said. */
  asks_for_signatures: boolean | null;
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
  status: Status<PackageStatus>;
  failure_reason: FailureReason | null;
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
  /** Seconds from the listing to the first evaluation of bids; 0: every bid is evaluated at once. */
  bidding_window_sec: Generated<number>;
  /** When the window closes; null without a window, and before the listing. */
  bidding_closes_at: Date | null;
  /** Of the transaction that cancelled or reclaimed it. */
  end_signature: string | null;
  /** Of the transaction that closed its account. */
  close_signature: string | null;
  /** Makes a repeated sponsored posting find the package of the first; null: posted without an Idempotency-Key. */
  request_key: string | null;
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
  /** Live until it is replaced by a newer one, withdrawn, or excluded by a formation that failed because of it. */
  ended_at: Date | null;
  ended_because: 'replaced' | 'excluded' | 'withdrawn' | null;
  /** Whether the agent's key signed it: only a signed call replaces or withdraws such a bid. */
  signed: Generated<boolean>;
  /** The address it came from, as limits count it, until it can win no more. */
  client: string | null;
}

export interface SwarmsTable {
  id: string;
  package_id: string;
  status: Status<SwarmStatus>;
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
  status: Status<LegStatus>;
  on_chain_leg: string;
  confirm_signature: string | null;
  completed_at: Date | null;
}

export interface DigitalTasksTable {
  id: string;
  status: Status<TaskStatus>;
  failure_reason: FailureReason | null;
  /** Who posted it; the ledger's account calls it poster. */
  shipper_pubkey: string;
  funder_pubkey: string;
  title: string;
  description: string;
  /** The service's planner split it into legs. */
  is_planned: boolean;
  num_legs: number;
  max_budget_lamports: Lamports;
  /** Seconds that an agent has for a leg once it is assigned. */
  claim_timeout_sec: number;
  deadline: Date;
  terms_hash: string;
  on_chain_task: string;
  on_chain_vault: string;
  list_signature: string | null;
  settle_signature: string | null;
  refund_lamports: Lamports | null;
  /** Of the transaction that cancelled or reclaimed it. */
  end_signature: string | null;
  /** Of the transaction that closed its account. */
  close_signature: string | null;
  /** Makes a repeated sponsored posting find the task of the first; null: posted without an Idempotency-Key. */
  request_key: string | null;
  created_at: DefaultNow;
  listed_at: Date | null;
}

export interface DigitalLegsTable {
  id: string;
  task_id: string;
  leg_index: number;
  instruction: string;
  status: ColumnType<DigitalLegStatus, DigitalLegStatus | undefined, never>;
  on_chain_leg: string;
  /** Grows with every claim: an intent that was decided for an earlier claim is void. */
  claim: Generated<number>;
  /** Who has the leg; null: it is open. The four below go with it. */
  agent_pubkey: string | null;
  bid_lamports: Lamports | null;
  /** Whether the agent's key signed the claim: only signed calls complete or release it then. */
  signed: boolean | null;
  /** The address the claim came from, as limits count it, until it is assigned. */
  client: string | null;
  claimed_at: Date | null;
  /** Since when its agent's turn has come; null: it has not, or its assignment is decided. */
  turn_at: Date | null;
  /** Of the transaction that assigned it on-chain. */
  assign_signature: string | null;
  /** When the agent's time is up. */
  due_at: Date | null;
  /** Its release is decided, and the ledger has not shown it yet. */
  release_reason: Extract<ReleaseReason, 'released' | 'timeout'> | null;
  /** What the agent handed in; shown to nobody before it is confirmed. */
  result: string | null;
  /** sha256 of its UTF-8 bytes, hex. Without a result: of a text that the ledger shows confirmed and that is not here. */
  result_hash: string | null;
  confirm_signature: string | null;
  payment_lamports: Lamports | null;
  completed_at: Date | null;
  /** The agent that has it on-chain without a claim here; null: none. It cannot be claimed then. */
  held_elsewhere: string | null;
}

/** Agents that had a leg of a task, did not complete it, and get no other one of it. */
export interface BarredAgentsTable {
  task_id: string;
  agent_pubkey: string;
  leg_id: string;
  reason: Extract<ReleaseReason, 'released' | 'timeout' | 'refused'>;
  /** Of the transaction that released it; null: the ledger never assigned it. */
  release_signature: string | null;
  barred_at: DefaultNow;
}

export type IntentKind =
  | 'form_swarm'
  | 'settle'
  | 'list_package'
  | 'cancel_package'
  | 'reclaim_package'
  | 'close_package'
  | 'list_task'
  | 'assign_task_leg'
  | 'release_task_leg'
  | 'confirm_task_leg'
  | 'settle_task'
  | 'cancel_task'
  | 'reclaim_task'
  | 'close_task';

/** What an intent is about: a swarm, a package or a digital task as a whole, or one claim of a digital leg. */
export type IntentPayload =
  | { swarmId: string }
  | { packageId: string }
  | { taskId: string }
  | { legId: string; claim: number };

export interface OutboxTable {
  id: Generated<bigint>;
  kind: IntentKind;
  /** Intents of one subject run in the order of their ids. */
  subject: string;
  unique_key: string;
  payload: JSONColumnType<IntentPayload>;
  /** What it costs the coordinator at most: rent, fee, and the budget of what it funds; 0 for what is owed anyway. */
  cost_lamports: Generated<Lamports>;
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

/** Instructions of the program that the watcher has projected into this mirror. */
export interface AppliedInstructionsTable {
  signature: string;
  /** Position among the program's instructions of the transaction, inner ones included. */
  instruction_index: number;
  slot: bigint;
  name: string;
  applied_at: DefaultNow;
}

/** What the coordinator advanced for packages and digital tasks that it funds. */
export interface SponsorshipsTable {
  /** Of the package or the digital task. */
  subject_id: string;
  poster_pubkey: string;
  /** Whether the poster signed the posting. */
  signed: boolean;
  ip: string;
  /** Budget, rent and fees. */
  lamports: Lamports;
  /** Whether the listing is over and what was left of its money back. */
  is_returned: Generated<boolean>;
  created_at: DefaultNow;
}

/** Agents without a reputation account for which the coordinator has decided to pay one. */
export interface NewcomersTable {
  agent_pubkey: string;
  /** The address that bid, as limits count it. */
  client: string;
  charged_at: DefaultNow;
}

/** Answers to requests that carried an Idempotency-Key. */
export interface IdempotencyKeysTable {
  scope: string;
  key: string;
  request_hash: string;
  /** Null while the first request is under way. */
  status: number | null;
  body: string | null;
  /** When a request under way counts as dead. */
  locked_until: Date;
  created_at: DefaultNow;
}

/** Keys that issue, or issued, this service's credentials. Rows are never deleted. */
export interface IssuerKeysTable {
  pubkey: string;
  since: DefaultNow;
  /** When another key took its place; null: it signs now. */
  until: Date | null;
}

/** What was presented against an agent, once a credential. */
export interface TrustEventsTable {
  /** Of the credential. */
  jti: string;
  agent_pubkey: string;
  type: 'VcExpired';
  adjustment_percent: number;
  occurred_at: DefaultNow;
}

export interface RewardClaimsTable {
  id: string;
  devnet_pubkey: string;
  mainnet_pubkey: string;
  /** The payout key signed for it. */
  mainnet_proven: boolean;
  earnings_lamports: Lamports;
  /** Of the earnings, from tasks that the coordinator funded. */
  sponsored_lamports: Lamports;
  /** Completed legs that were counted. */
  legs: number;
  /** Distinct posters of their tasks. */
  posters: number;
  /** Of the last leg that was counted, in the ledger's order. */
  last_confirm_signature: string | null;
  claimed_at: DefaultNow;
  paid_signature: string | null;
  paid_at: Date | null;
}

export interface Database {
  meta: MetaTable;
  agents: AgentsTable;
  signing_keys: SigningKeysTable;
  reputations: ReputationsTable;
  packages: PackagesTable;
  bids: BidsTable;
  swarms: SwarmsTable;
  legs: LegsTable;
  digital_tasks: DigitalTasksTable;
  digital_legs: DigitalLegsTable;
  barred_agents: BarredAgentsTable;
  outbox: OutboxTable;
  events: EventsTable;
  nonces: NoncesTable;
  applied_instructions: AppliedInstructionsTable;
  sponsorships: SponsorshipsTable;
  newcomers: NewcomersTable;
  idempotency_keys: IdempotencyKeysTable;
  issuer_keys: IssuerKeysTable;
  trust_events: TrustEventsTable;
  reward_claims: RewardClaimsTable;
}

export type AgentRow = Selectable<AgentsTable>;
export type PackageRow = Selectable<PackagesTable>;
export type BidRow = Selectable<BidsTable>;
export type SwarmRow = Selectable<SwarmsTable>;
export type LegRow = Selectable<LegsTable>;
export type DigitalTaskRow = Selectable<DigitalTasksTable>;
export type DigitalLegRow = Selectable<DigitalLegsTable>;
export type OutboxRow = Selectable<OutboxTable>;
export type RewardClaimRow = Selectable<RewardClaimsTable>;
export type ReputationRow = Selectable<ReputationsTable>;
export type NewLeg = Insertable<LegsTable>;
