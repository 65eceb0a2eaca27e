import type {
  DigitalLegStatus,
  FailureReason,
  Lamports,
  ReleaseReason,
  Requirements,
  TaskStatus,
} from '@legwork/protocol/contract';
import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely';
import type { Sealed, SealedColumns, SealedOrNull } from '../sealing.js';
import type { Status, TermsJson, TurnColumns } from './market.js';

export interface DigitalTasksTable {
  id: string;
  status: Status<TaskStatus>;
  failure_reason: FailureReason | null;
  /** The key that posted it; the ledger's account calls it poster. */
  shipper_pubkey: string;
  funder_pubkey: string;
  /** Number of the asset that it is paid in, 0: SOL. Its amounts are base units of it, in columns that end in lamports too. */
  asset: Generated<number>;
  title: Sealed;
  description: Sealed;
  /** The service's planner split it into legs. */
  is_planned: boolean;
  num_legs: number;
  max_budget_lamports: Lamports;
  /** Seconds that an agent has for a leg once it is assigned. */
  claim_timeout_sec: number;
  deadline: Date;
  terms_hash: string;
  /** Hexadecimal, in the document whose hash that is; null: there is none in it, or it was erased. */
  salt: string | null;
  personal: SealedColumns;
  /** When its personal data was erased; null: it was not. */
  erased_at: Generated<Date | null>;
  /** Of the kept call by which its lister asked for that; null: its time had come. */
  erase_call: Generated<string | null>;
  /** True if the document whose hash the ledger has is here; not if the listing was rebuilt from the ledger alone. */
  document_known: Generated<boolean>;
  /** Up to here it was rebuilt from the ledger: of what came before, the service has no decisions. Null: it was drafted here. */
  rebuilt_slot: Generated<bigint | null>;
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
  created_at: Generated<Date>;
  listed_at: Date | null;
  /** The terms that bind both sides; null: none. */
  terms: JSONColumnType<TermsJson> | null;
  /** The requirements for an agent to claim a leg; null: none. */
  requirements: JSONColumnType<Requirements> | null;
  /** Assignments of its legs that the ledger counted; it counts them with terms only. */
  formation: Generated<number>;
}

export interface DigitalLegsTable extends TurnColumns {
  id: string;
  task_id: string;
  leg_index: number;
  /** Of its task. */
  asset: Generated<number>;
  instruction: Sealed;
  status: ColumnType<DigitalLegStatus, DigitalLegStatus | undefined, never>;
  on_chain_leg: string;
  /** Grows with every claim: an intent that was decided for an earlier claim is void. */
  claim: Generated<number>;
  /** The agent that has the leg; null: it is open. The four below go with it. */
  agent_pubkey: string | null;
  bid_lamports: Lamports | null;
  /** True if the agent's key signed the claim: only signed calls complete or release it then. */
  signed: boolean | null;
  /** Of the kept call that claimed it; null: nobody signed that, or calls were not kept yet. */
  call_signature: string | null;
  /** The address the claim came from, as limits count it, until it is assigned; with terms, until its first move. */
  client: string | null;
  claimed_at: Date | null;
  /** Since when its agent's turn has come; null: it has not, or its assignment is decided. */
  turn_at: Date | null;
  /** Of the transaction that assigned it on-chain. */
  assign_signature: string | null;
  /** When the agent's time is up; with terms, when its clock ends. */
  due_at: Date | null;
  /** Its release is decided, and the ledger has not shown it yet. */
  release_reason: Extract<ReleaseReason, 'released' | 'timeout' | 'rejected'> | null;
  /** The result from the agent; shown to nobody before it is confirmed. With terms it is evidence until then. */
  result: SealedOrNull;
  /** sha256 of its UTF-8 bytes, hex. Without a result: of a text that the ledger shows confirmed and that is not here. */
  result_hash: string | null;
  confirm_signature: string | null;
  payment_lamports: Lamports | null;
  completed_at: Date | null;
  /** The agent that has it on-chain without a claim here; null: none. It cannot be claimed then. */
  held_elsewhere: string | null;
  /** The number that every move of it names; null: without terms, or not assigned. */
  formation: number | null;
}

/** Agents that had a leg of a task, did not complete it, and get no other one of it. */
export interface BarredAgentsTable {
  task_id: string;
  agent_pubkey: string;
  leg_id: string;
  reason: Exclude<ReleaseReason, 'withdrawn' | 'lapsed'>;
  /** Of the transaction that released it; null: the ledger never assigned it. */
  release_signature: string | null;
  barred_at: Generated<Date>;
}

/** A file of a result, from the first part of its upload on. */
export interface ArtifactsTable {
  id: string;
  leg_id: string;
  /** The claim of the leg that it was uploaded for; it is nothing to a later one. */
  claim: number;
  agent_pubkey: string;
  /** The address that the upload came from, as limits count it, for a day. */
  client: string | null;
  sha256: string;
  bytes: bigint;
  /** How many of them are kept. */
  received: Generated<bigint>;
  /** The state of the sha256 of what is kept; null: nothing is. */
  hash_state: Buffer | null;
  /** The store's name for the upload, and its parts in order. */
  store_upload: string | null;
  part_tags: Generated<string[]>;
  /** When all of it was stored under its sha256. */
  stored_at: Date | null;
  /** Its place among the files of the result; null: no result names it. The two below go with it. */
  position: number | null;
  name: string | null;
  content_type: string | null;
  created_at: Generated<Date>;
}

export type ArtifactRow = Selectable<ArtifactsTable>;
export type DigitalTaskRow = Selectable<DigitalTasksTable>;
export type DigitalLegRow = Selectable<DigitalLegsTable>;

/** A leg without its result, which may be large: what only decides about legs does not read it. */
export type LegWithoutResult = Omit<DigitalLegRow, 'result'>;

/** The columns of {@link LegWithoutResult}. */
export const LEG_WITHOUT_RESULT = [
  'digital_legs.id',
  'digital_legs.task_id',
  'digital_legs.leg_index',
  'digital_legs.asset',
  'digital_legs.instruction',
  'digital_legs.status',
  'digital_legs.on_chain_leg',
  'digital_legs.claim',
  'digital_legs.agent_pubkey',
  'digital_legs.bid_lamports',
  'digital_legs.signed',
  'digital_legs.call_signature',
  'digital_legs.client',
  'digital_legs.claimed_at',
  'digital_legs.turn_at',
  'digital_legs.assign_signature',
  'digital_legs.due_at',
  'digital_legs.release_reason',
  'digital_legs.result_hash',
  'digital_legs.confirm_signature',
  'digital_legs.payment_lamports',
  'digital_legs.completed_at',
  'digital_legs.held_elsewhere',
  'digital_legs.formation',
  'digital_legs.stage',
  'digital_legs.since',
  'digital_legs.since_signature',
  'digital_legs.until',
  'digital_legs.disputer_pubkey',
  'digital_legs.percent',
  'digital_legs.evidence_hash',
  'digital_legs.reason_hash',
  'digital_legs.forfeited_lamports',
] as const;

/** Digital tasks, and the work on them. */
export interface TaskTables {
  digital_tasks: DigitalTasksTable;
  digital_legs: DigitalLegsTable;
  barred_agents: BarredAgentsTable;
  artifacts: ArtifactsTable;
}
