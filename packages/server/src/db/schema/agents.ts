import type { Lamports } from '@legwork/protocol/contract';
import type { ColumnType, Generated, Selectable } from 'kysely';
import type { Personal } from '../sealing.js';

export interface AgentsTable {
  pubkey: string;
  display_name: string | null;
  capabilities: Generated<string[]>;
  registered_at: Generated<Date>;
  airdropped_at: Date | null;
  airdrop_signature: string | null;
  /** Name and capabilities were set by a signed call: an unsigned one no longer changes them. */
  profile_signed: Generated<boolean>;
}

/** Keys that have signed for something that binds them, registered or not. */
export interface SigningKeysTable {
  pubkey: string;
  since: Generated<Date>;
  /** The choice of its signed profile: its signature alone, or unsigned calls too; null: it never said. */
  asks_for_signatures: boolean | null;
  /** Of the kept call that asked for it. */
  call_signature: string | null;
}

/** Signed requests by which keys bound themselves: what proves a row that says `signed`. */
export interface SignedCallsTable {
  /** Base58. */
  signature: string;
  pubkey: string;
  /** The operation that it called. */
  operation: string;
  /** The six lines that were signed. */
  text: string;
  /** The raw body whose hash they hold. */
  body: ColumnType<string, Personal | string, never>;
  kept_at: Generated<Date>;
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

/** The agents' pay for completed legs, packages and digital tasks together: kept in step with the legs. */
export interface EarningsTable {
  agent_pubkey: string;
  lamports: Lamports;
  last_completed_at: Date;
}

/** Agents without a reputation account for which the coordinator has decided to pay one. */
export interface NewcomersTable {
  agent_pubkey: string;
  /** The address that bid, as limits count it. */
  client: string;
  charged_at: Generated<Date>;
}

/** Legs with terms that an agent gave up late and never accepted. */
export interface LapsesTable {
  agent_pubkey: string;
  leg_id: string;
  /** By the ledger. */
  at: Date;
}

/** The credentials presented against an agent, each once. */
export interface TrustEventsTable {
  /** Of the credential. */
  jti: string;
  agent_pubkey: string;
  type: 'VcExpired';
  adjustment_percent: number;
  occurred_at: Generated<Date>;
}

export interface RewardClaimsTable {
  id: string;
  devnet_pubkey: string;
  mainnet_pubkey: string;
  /** The payout key signed for it. */
  mainnet_proven: boolean;
  /** Its signature, base58; null: it gave none, or signatures were not kept yet. */
  mainnet_signature: string | null;
  /** Of the kept call that made the claim. */
  call_signature: string | null;
  earnings_lamports: Lamports;
  /** Of the earnings, from tasks that the coordinator funded. */
  sponsored_lamports: Lamports;
  /** Completed legs that were counted. */
  legs: number;
  /** Distinct posters of their tasks. */
  posters: number;
  /** Of the last leg that was counted, in the ledger's order. */
  last_confirm_signature: string | null;
  claimed_at: Generated<Date>;
  paid_signature: string | null;
  paid_at: Date | null;
}

export type AgentRow = Selectable<AgentsTable>;
export type ReputationRow = Selectable<ReputationsTable>;
export type RewardClaimRow = Selectable<RewardClaimsTable>;

/** The tables of agents, and of their rewards beyond the market. */
export interface AgentTables {
  agents: AgentsTable;
  signing_keys: SigningKeysTable;
  signed_calls: SignedCallsTable;
  reputations: ReputationsTable;
  earnings: EarningsTable;
  newcomers: NewcomersTable;
  lapses: LapsesTable;
  trust_events: TrustEventsTable;
  reward_claims: RewardClaimsTable;
}
