import type {
  FailureReason,
  Lamports,
  LegMove,
  LegStage,
  LegStatus,
  PackageStatus,
  Requirements,
  SwarmStatus,
  Terms,
} from '@legwork/protocol/contract';
import type { PrivateHashes, Ruler } from '@legwork/protocol/rules';
import type { ColumnType, Generated, Insertable, JSONColumnType, Selectable } from 'kysely';
import type { Sealed, SealedColumns, SealedOrNull } from '../sealing.js';
import type { TaskTables } from './tasks.js';

/** Given at the insert; after that only transition() changes it: `set({ status })` does not compile. */
export type Status<S extends string> = ColumnType<S, S, never>;

export interface PackagesTable {
  id: string;
  status: Status<PackageStatus>;
  failure_reason: FailureReason | null;
  shipper_pubkey: string;
  funder_pubkey: string;
  /** Number of the asset that it is paid in, 0: SOL. Its amounts are base units of it, in columns that end in lamports too. */
  asset: Generated<number>;
  origin_lat: number;
  origin_lng: number;
  dest_lat: number;
  dest_lng: number;
  personal: SealedColumns;
  description: Sealed;
  weight_kg: number;
  volume_litres: number;
  max_budget_lamports: Lamports;
  deadline: Date;
  terms_hash: string;
  /** Hexadecimal, in the document whose hash that is; null: there is none in it, or it was erased. */
  salt: string | null;
  /** When its personal data was erased; null: it was not. */
  erased_at: Generated<Date | null>;
  /** Of the kept call by which its lister asked for that; null: its time had come. */
  erase_call: Generated<string | null>;
  /** True if the document whose hash the ledger has is here; not if the listing was rebuilt from the ledger alone. */
  document_known: Generated<boolean>;
  /** Up to here it was rebuilt from the ledger: of what came before, the service has no decisions. Null: it was drafted here. */
  rebuilt_slot: Generated<bigint | null>;
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
  /** `traceparent` of the call whose bid made that due last; null: it was not traced. */
  evaluate_trace: Generated<string | null>;
  failed_formations: Generated<number>;
  created_at: Generated<Date>;
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
  /** The terms that bind both sides; null: none. */
  terms: JSONColumnType<TermsJson> | null;
  /** The requirements for a courier to be chosen; null: none. */
  requirements: JSONColumnType<Requirements> | null;
  /** In the document of the terms, of the private parts; null: there are none. */
  private_hashes: JSONColumnType<PrivateHashes> | null;
}

/** Terms as the database keeps them: plain JSON, the stake as a number of base units. */
export interface TermsJson extends Omit<Terms, 'stake' | 'stakeLamports'> {
  stakeLamports: number;
}

export interface BidsTable {
  id: string;
  package_id: string;
  /** The vacant leg that it is for; null: for a chain that carries the package. */
  leg_id: string | null;
  agent_pubkey: string;
  pickup_lat: number;
  pickup_lng: number;
  dropoff_lat: number;
  dropoff_lng: number;
  distance_km: number;
  estimated_duration_min: number;
  cost_lamports: Lamports;
  reasoning: SealedOrNull;
  personal: SealedColumns;
  expires_at: Date;
  created_at: Generated<Date>;
  /** Live until it is replaced by a newer one, withdrawn, or excluded by a formation that failed because of it. */
  ended_at: Date | null;
  ended_because: 'replaced' | 'excluded' | 'withdrawn' | null;
  /** True if the agent's key signed it: only a signed call replaces or withdraws such a bid. */
  signed: Generated<boolean>;
  /** Of the kept call that made it; null: nobody signed it, or calls were not kept yet. */
  call_signature: string | null;
  /** The address it came from, as limits count it, until it can win no more. */
  client: string | null;
  /** Its places are whole degrees, and may be those of another. */
  is_erased: Generated<boolean>;
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
  created_at: Generated<Date>;
}

/** Where a leg stands by its terms: of a package, or of a digital task. */
export interface TurnColumns {
  /** Null: it has no terms, or is not on the ledger yet. Most columns below go with it. */
  stage: LegStage | null;
  /** When its last move landed, by the ledger. */
  since: Date | null;
  /** Of the transaction that `since` is the instant of; null: it was mirrored by an earlier version. */
  since_signature: Generated<string | null>;
  /** When silence decides; null: never. */
  until: Date | null;
  disputer_pubkey: string | null;
  /** The share of its payment that a ruling left, percent. */
  percent: number | null;
  evidence_hash: string | null;
  reason_hash: string | null;
  /** Stakes that who had it lost by silence. */
  forfeited_lamports: Generated<Lamports>;
}

export interface LegsTable extends TurnColumns {
  id: string;
  swarm_id: string;
  leg_index: number;
  /** Of its package. */
  asset: Generated<number>;
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
  /** The number that every move of it names. */
  formation: number;
  /** Of the transaction that gave it to this courier in place of another one; null: the formation did. */
  assign_signature: string | null;
  /** When another courier took its place. */
  ended_at: Date | null;
  /** Of a vacant leg, when its bids are evaluated next; null: when one comes. */
  evaluate_at: Date | null;
  /** Where the next courier of a vacant leg picks the parcel up, when the shipper said so. */
  opening_lat: number | null;
  opening_lng: number | null;
  /** The places above. */
  personal: SealedColumns;
  /** The payment that its courier received; null: it is not completed. */
  paid_lamports: Lamports | null;
}

/** Lamports that a move of a leg took from one account to another; a number, as in JSON. */
export interface MovedLamports {
  what: 'stake' | 'stake_returned' | 'stake_forfeited' | 'arbiter_fee' | 'burnt';
  from: string;
  to: string;
  lamports: number;
}

export interface LegMovesTable {
  id: Generated<bigint>;
  leg_id: string;
  /** `reclaim`: the package ended, and the stakes with it. */
  move: LegMove | 'reclaim';
  signer_pubkey: string;
  /** Of a ruling: who made it. */
  by_whom: Ruler | null;
  percent: number | null;
  /** Of the evidence of a claim, the reason of a dispute, or that of an arbiter's ruling. */
  hash: string | null;
  movements: JSONColumnType<MovedLamports[]>;
  signature: string;
  at: Date;
}

/** The evidence for claims, disputes and answers to them. */
export interface EvidenceTable {
  leg_id: string;
  /** sha256 of the text, hex. */
  hash: string;
  author_pubkey: string;
  text: Sealed;
  created_at: Generated<Date>;
}

/**
 * The work that an agent can bid on or claim, a row each: `package`, a package; `opening`, its vacant leg; `leg`, a leg of a digital task.
 * Triggers write it; a listing that is over has no row.
 */
export interface WorkTable {
  /** Of the package, or of the leg. */
  id: string;
  kind: 'package' | 'opening' | 'leg';
  /** The package or the task. */
  listing_id: string;
  /** Of the listing. */
  asset: Generated<number>;
  /** It takes bids or can be claimed, as far as its status says; rows past `closes_at` are swept. */
  is_open: boolean;
  lister: string;
  /** The keys that cannot work on it: its lister, and those that its terms name. */
  parties: string[];
  has_terms: boolean;
  is_private: Generated<boolean>;
  stake: Lamports;
  deadline: Date;
  /** From when on nobody can bid or claim. */
  closes_at: Date;
  /** The most that it pays. */
  pay: Lamports;
  /** That for each kilometre; the columns below are null of legs of tasks. */
  per_km: number | null;
  /** Where it starts, as roughly as the row that it was made of knows it. */
  lat: number | null;
  lng: number | null;
  min_score: number;
  min_completed: number;
  capabilities: string[];
  blocked: string[];
  /** The month with whose key the marks are made; empty: with none; null: they are to be made yet. */
  marked_in: string | null;
  /** Keyed hashes of the words of its texts. */
  marks: string[] | null;
}

export type LegMoveRow = Selectable<LegMovesTable>;
export type EvidenceRow = Selectable<EvidenceTable>;
export type PackageRow = Selectable<PackagesTable>;
export type BidRow = Selectable<BidsTable>;
export type SwarmRow = Selectable<SwarmsTable>;
export type LegRow = Selectable<LegsTable>;
export type NewLeg = Insertable<LegsTable>;

/** The tables of listings and of the work on them. */
export interface MarketTables extends TaskTables {
  packages: PackagesTable;
  bids: BidsTable;
  swarms: SwarmsTable;
  legs: LegsTable;
  leg_moves: LegMovesTable;
  evidence: EvidenceTable;
  work: WorkTable;
}
