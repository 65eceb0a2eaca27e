import type { EventEmitter } from 'node:events';
import type { ShownLedger } from '@legwork/protocol/contract';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Limits } from './api/limits.js';
import type { Artifacts } from './artifacts/artifacts.js';
import type { Batches } from './batches.js';
import type { PlacedBid, Prospect } from './bids/place.js';
import type { Bidding } from './bids/submit.js';
import type { Config } from './config.js';
import type { CoordinatorFunds } from './coordinator/funds.js';
import type { Db, Patience } from './db/connect.js';
import type { Counts } from './db/counts.js';
import type { LoggedEvent } from './db/events.js';
import type { KeyRing } from './db/keyRing.js';
import type { Certificate } from './http/certificate.js';
import type { Issuers } from './identity/credentials.js';
import type { Nonce } from './identity/nonces.js';
import type { Ledger } from './ledger/ledger.js';
import type { Lead } from './mirror/lead.js';
import type { Landed } from './mirror/applyLanded.js';
import type { Waker } from './loop.js';
import type { Metrics } from './metrics/metrics.js';
import type { HandOff } from './outbox/handOff.js';
import type { Tracing } from './tracing/spans.js';
import type { Targets } from './webhooks/targets.js';

/** One waker a worker that others have work for. */
export type Wakers = Record<'evaluator' | 'keeper' | 'outbox' | 'sequencer' | 'taskClaims' | 'webhooks', Waker>;

/** The parts that operations and workers work with. */
export interface AppContext {
  config: Config;
  log: Logger;
  metrics: Metrics;
  /** Undefined: nothing is traced. */
  tracing: Tracing | undefined;
  /** The connection pool of `db`; others need only its size. */
  pool: Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>;
  db: Db;
  /** With which every query but those of the start is waited for; its signal ends waiting for the ledger, too. */
  patience: Patience;
  /** Ends every wait for the database and the ledger: what is under way fails. */
  giveUp: () => void;
  /** How much there is of everything, at most a second old. */
  counts: () => Promise<Counts>;
  limits: Limits;
  /** Spends nonces, those that come at once together. */
  nonces: Batches<Nonce, boolean>;
  /** Places bids, those that come at once on one package together. */
  bids: Batches<Bidding, PlacedBid & Prospect>;
  artifacts: Artifacts;
  /** The transport of webhooks. */
  targets: Targets;
  ledger: Ledger;
  /** Since when this coordinator's decisions are kept; what is older proves itself as far as it can. */
  decisionsSince: Date;
  funds: CoordinatorFunds;
  /** Signatures of the transactions that this process is about to mirror: for calls under way, and for its outbox. */
  landing: Set<string>;
  /** Whether this process is the one that follows the ledger at once. */
  lead: Lead;
  /** What the follower of this process is applying, by signature: once it is applied, undefined when it was not. */
  following: Map<string, Promise<Landed | undefined>>;
  issuers: Issuers;
  /** Keys of what is personal; undefined: that stands in the database as it is, and private parts are not kept. */
  keyRing: KeyRing | undefined;
  /** The address clients use, without a slash at the end; its host is what signed requests are bound to. */
  publicUrl: string;
  /** The service's certificate for TLS; undefined: it speaks none. */
  certificate: Certificate | undefined;
  /** Where links to what the ledger shows lead. */
  shownLedger: ShownLedger;
  /** Where MCP clients connect. */
  mcpUrl: string;
  clock: () => Date;
  /** From who decides to the outbox of this process, past the database's queue. */
  handOff: HandOff;
  /** Emits, as `events`, those that this process has numbered, in their order: they need not be read again. */
  numbered: EventEmitter<{ events: [readonly LoggedEvent[]] }>;
  /** Emits the subject of a listing that this process has mirrored something of: for calls that wait for that. */
  mirrored: EventEmitter;
  /** Of the workers that have something to do after a commit; nothing is lost when a wake is missed. */
  wakers: Wakers;
}
