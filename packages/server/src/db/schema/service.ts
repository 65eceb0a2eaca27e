import type { Lamports, PrivatePartName, PrivateReader } from '@legwork/protocol/contract';
import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely';
import type { Personal, SealedColumns, SealedOrNull } from '../sealing.js';

export interface MetaTable {
  key: string;
  value: string;
}

export type IntentKind =
  | 'form_swarm'
  | 'assign_leg'
  | 'crank_leg'
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

/**
 * The subject of an intent: a swarm, a package or a digital task as a whole, one claim of a digital leg, a vacant leg
 * of a package with the bid that gets it, or a leg whose clock has ended.
 */
export type IntentPayload =
  | { swarmId: string }
  | { packageId: string }
  | { taskId: string }
  | { legId: string; claim: number }
  | { vacantLegId: string; bidId: string }
  | { overdueLegId: string; since: string };

export interface OutboxTable {
  id: Generated<bigint>;
  kind: IntentKind;
  /** Intents of one subject run in the order of their ids. */
  subject: string;
  unique_key: string;
  payload: JSONColumnType<IntentPayload>;
  /** The most that it costs the coordinator: rent, fee, and the budget of a funded listing; 0 for what is owed anyway. */
  cost_lamports: Generated<Lamports>;
  /** pending: to be signed; sent: signed and persisted, outcome not known; done; failed: given up, with last_error. */
  status: Generated<'pending' | 'sent' | 'done' | 'failed'>;
  attempts: Generated<number>;
  available_at: Generated<Date>;
  lease_token: string | null;
  leased_until: Date | null;
  signature: string | null;
  transaction: Buffer | null;
  last_valid_block_height: bigint | null;
  last_error: string | null;
  /** `traceparent` of the call that decided it; null: it was not traced. */
  trace: Generated<string | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

/** The coordinator's decisions to sign, under its MAC: without one the outbox signs nothing that spends or gives. */
export interface DecisionsTable {
  /** Of the intent that carries it out. */
  unique_key: string;
  kind: IntentKind;
  subject: string;
  /** JSON: every bid that was considered, `[id, rho]`; null: the decision is no choice among bids. */
  considered: string | null;
  /** JSON: what is to be signed; null: decided before this key's decisions were kept, so it is to be decided again. */
  chosen: ColumnType<string | null, Personal | string | null, Personal | string | null>;
  /** The instant by whose clock it was decided. */
  decided_at: Date;
  /** HMAC-SHA256, hex, of all of the above. */
  mac: string;
}

/** The coordinator's advances for packages and digital tasks that it funds. */
export interface SponsorshipsTable {
  /** Of the package or the digital task; with `fees` made of the transaction. */
  subject_id: string;
  /** The purpose that caps and budgets tell apart. */
  purpose: Generated<'listing' | 'fees'>;
  /** The poster; with `fees`, the key whose move it is. */
  poster_pubkey: string;
  /** True if the poster signed the posting. */
  signed: boolean;
  ip: string;
  /** Budget, rent and fees. */
  lamports: Lamports;
  /** True if the listing is over and the rest of its money is back; fees never come back. */
  is_returned: Generated<boolean>;
  created_at: Generated<Date>;
}

export interface EventsTable {
  id: Generated<bigint>;
  /** Given in commit order by the sequencer; null until then. */
  seq: bigint | null;
  type: string;
  subject: string;
  /** The payload in its wire form. */
  payload: JSONColumnType<Record<string, unknown>>;
  /** The personal part of the payload. */
  personal: SealedColumns;
  occurred_at: Generated<Date>;
  /** `traceparent` of what it tells of; null: that was not traced. */
  trace: Generated<string | null>;
}

/** Transactions of the program that were applied to this mirror, each whole. */
export interface LedgerTransactionsTable {
  signature: string;
  slot: bigint;
  /** Its place in the ledger's order, given once it is final; null: the ledger may still take it back. */
  position: bigint | null;
  /** The listings posted here that it is about: `package:<id>`, `task:<id>`. */
  subjects: string[];
  /** Names of the program's instructions in it, inner ones included, in the order they ran. */
  instructions: Generated<string[]>;
  /** Why it could not be read; null: it was, and is applied. */
  unreadable: string | null;
  /** The bytes to send again should the ledger lose it; null: it is final, or was sent by somebody else. */
  bytes: Buffer | null;
  /** Of the blockhash of our own bytes. */
  last_valid_block_height: bigint | null;
  /** When a node that must know it first did not; null: none has said so, or one has shown it since. */
  missing_since: Date | null;
  /** When it was certain that the ledger has taken it back. */
  reverted_at: Date | null;
  applied_at: Generated<Date>;
}

export interface NoncesTable {
  pubkey: string;
  nonce: string;
  used_at: Generated<Date>;
}

/** Answers to requests that carried an Idempotency-Key. */
export interface IdempotencyKeysTable {
  scope: string;
  key: string;
  request_hash: string;
  /** Null while the first request is under way. */
  status: number | null;
  body: SealedOrNull;
  /** The ids of things in the body: with an erased one, the answer goes. */
  ids: Generated<string[]>;
  /** When a request under way counts as dead. */
  locked_until: Date;
  created_at: Generated<Date>;
}

/** Keys that issue, or issued, this service's credentials. Rows are never deleted. */
export interface IssuerKeysTable {
  pubkey: string;
  since: Generated<Date>;
  /** When another key took its place; null: it signs now. */
  until: Date | null;
}

/** Addresses that events are posted to. */
export interface WebhooksTable {
  id: string;
  owner_pubkey: string;
  /** The address that registered it, as limits count it. */
  client: string;
  /** Its address, filter and secrets, encrypted: a copy of the database tells nobody who listens to what, and signs nothing. */
  sealed: Buffer;
  /** Every event up to this number was taken by its receiver, or is none of its own. */
  acked_seq: bigint;
  /** Tries of the next event that came to nothing. */
  attempts: Generated<number>;
  /** When the first of them was; null: the last delivery was taken. */
  failing_since: Date | null;
  last_error: string | null;
  delivered_at: Date | null;
  /** Since when nothing is sent; null: it is. */
  disabled_at: Date | null;
  available_at: Generated<Date>;
  lease_token: string | null;
  leased_until: Date | null;
  created_at: Generated<Date>;
  /** When it was registered, or something but its progress changed. */
  changed_at: Generated<Date>;
  /** Of a subscription to notices: what its key was told of which leg. Of a follower over A2A: what it knows of its task. Null: a webhook. */
  told: JSONColumnType<Told | ToldOfTask> | null;
  /** When to look what there is to tell, though no event came; null: a webhook. */
  look_at: Date | null;
}

/** By leg: how it stood when the key was told of it, since when by the ledger's clock, and whether that its clock ends. */
export type Told = Readonly<
  Record<string, { readonly key: string; readonly sinceMs: number; readonly isSoon: boolean }>
>;

/** What a follower of a task over A2A was told last; empty: nothing yet. */
export interface ToldOfTask {
  readonly status?: string;
  readonly artifacts?: readonly string[];
}

export type WebhookRow = Selectable<WebhooksTable>;
export type OutboxRow = Selectable<OutboxTable>;
export type SponsorshipRow = Selectable<SponsorshipsTable>;
export type DecisionRow = Selectable<DecisionsTable>;

/** The acts of operators. */
export interface OperatorActsTable {
  id: Generated<bigint>;
  at: Generated<Date>;
  operator_pubkey: string;
  act: 'open' | 'close' | 'retry' | 'heal' | 'sweep' | 'audit';
  target: string;
  signed_text: string;
  /** The body whose hash the text has; null: from before it was kept. */
  body: string | null;
  signature: string;
}

/** The tables that the service keeps to do its work. */
export interface ServiceTables {
  meta: MetaTable;
  outbox: OutboxTable;
  decisions: DecisionsTable;
  sponsorships: SponsorshipsTable;
  events: EventsTable;
  ledger_transactions: LedgerTransactionsTable;
  nonces: NoncesTable;
  idempotency_keys: IdempotencyKeysTable;
  issuer_keys: IssuerKeysTable;
  webhooks: WebhooksTable;
  operator_acts: OperatorActsTable;
}

/** Exact addresses and contacts of a package, encrypted. */
export interface PrivatePartsTable {
  package_id: string;
  /** The month of the key, as `2026-11`. */
  key: string;
  sealed: Buffer;
}

/** The readers of each private part of a package, a row per part and key. */
export interface PrivateReadingsTable {
  package_id: string;
  part: PrivatePartName;
  reader_pubkey: string;
  read_as: PrivateReader;
  times: Generated<number>;
  first_at: Generated<Date>;
  last_at: Generated<Date>;
}

/** Which couriers have read private parts of which packages, of the last 30 days: it outlives what they read. */
export interface CourierReadingsTable {
  reader_pubkey: string;
  package_id: string;
  first_at: Generated<Date>;
}

export type PrivateReadingRow = Selectable<PrivateReadingsTable>;

/** The personal data of places and people, and the record of who has seen it. */
export interface PersonalDataTables {
  private_parts: PrivatePartsTable;
  private_readings: PrivateReadingsTable;
  courier_readings: CourierReadingsTable;
}
