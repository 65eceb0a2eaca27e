import { EventEmitter } from 'node:events';
import { RelayError, type ShownLedger } from '@legwork/protocol/contract';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type Ledger, connectLedger } from './ledger/ledger.js';
import { takeOverIntents } from './coordinator/takeOver.js';
import { type CoordinatorFunds, watchFunds } from './coordinator/funds.js';
import { Batches } from './batches.js';
import { type Artifacts, openArtifacts } from './artifacts/artifacts.js';
import type { Config } from './config.js';
import type { LoggedEvent } from './db/events.js';
import { connect, type Db, openPool, overPool, type Patience } from './db/connect.js';
import { type Counts, keepCounts } from './db/counts.js';
import { migrate } from './db/migrate.js';
import { requireOwnDatabase } from './db/meta.js';
import { type Nonce, spendNonces } from './identity/nonces.js';
import { NewerSchemaError, OldPostgresError, SharedSessionError, UnreachableError } from './errors.js';
import { type Issuers, openIssuers } from './identity/credentials.js';
import type { Bidding } from './bids/submit.js';
import { type PlacedBid, placeBids, type Prospect } from './bids/place.js';
import { createLimits, type Limits } from './api/limits.js';
import { Waker } from './loop.js';
import { HandOff } from './outbox/handOff.js';
import { KeyRing } from './personal/keyRing.js';
import { requireKeys } from './personal/keyRing.js';
import { measureLedger } from './metrics/measureLedger.js';
import { createMetrics, type Metrics } from './metrics/metrics.js';

/** One waker a worker that others have work for. */
export type Wakers = Record<'evaluator' | 'keeper' | 'outbox' | 'sequencer' | 'taskClaims', Waker>;

export function createWakers(): Wakers {
  return {
    evaluator: new Waker(),
    keeper: new Waker(),
    outbox: new Waker(),
    sequencer: new Waker(),
    taskClaims: new Waker(),
  };
}

/** The parts that operations and workers work with. */
export interface AppContext {
  config: Config;
  log: Logger;
  metrics: Metrics;
  /** What `db` queries over; only its size is of interest to others. */
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
  ledger: Ledger;
  /** Since when this coordinator's decisions are kept; what is older proves itself as far as it can. */
  decisionsSince: Date;
  funds: CoordinatorFunds;
  /** Signatures of the transactions that this process is about to mirror: for calls under way, and for its outbox. */
  landing: Set<string>;
  issuers: Issuers;
  /** Keys of what is personal; undefined: that stands in the database as it is, and private parts are not kept. */
  keyRing: KeyRing | undefined;
  /** The address clients use, without a slash at the end; its host is what signed requests are bound to. */
  publicUrl: string;
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

/** A query may wait in line for a package for as long as a search for the best chain takes, and so much longer, milliseconds. */
const QUERY_MS = 5_000;

/** However long it takes: a large table, or another replica that is at it. */
async function bringUpToDate(config: Config): Promise<void> {
  const db = connect(config.databaseUrl, 2, () => undefined);
  try {
    await migrate(db);
  } catch (error) {
    const isPlain = [NewerSchemaError, OldPostgresError, SharedSessionError].some((known) => error instanceof known);
    throw isPlain ? error : new UnreachableError('database', 'DATABASE_URL', error);
  } finally {
    await db.destroy();
  }
}

/**
 * Wires the parts together: the database brought up to date, the ledger connected, the two known to belong together.
 * Nothing runs yet. Its creator ends it with `context.db.destroy()`.
 *
 * @throws ForeignDatabaseError, NewerSchemaError, OldPostgresError, SharedSessionError, UnreachableError, ConfigError
 */
export async function createContext(config: Config, publicUrl: string, log: Logger): Promise<AppContext> {
  await bringUpToDate(config);
  const givingUp = new AbortController();
  const patience: Patience = { queryMs: QUERY_MS + config.optimizerTimeMs, givenUp: givingUp.signal };
  const lost = (error: Error) => log.warn({ err: error }, 'idle connection lost');
  const pool = openPool(config.databaseUrl, config.databasePool, lost, patience.queryMs);
  const keyRing = config.personalDataKeys === undefined ? undefined : await KeyRing.open(config.personalDataKeys);
  const db = overPool(pool, { givenUp: patience.givenUp, keyRing });
  const metrics = createMetrics();
  const wakers = createWakers();
  try {
    const ledger = await connectLedger(config, log).catch((error: unknown) => {
      const silent = error instanceof RelayError && error.code === 'ledger_unavailable';
      throw silent ? new UnreachableError('ledger', 'SOLANA_RPC_URL', error.cause) : error;
    });
    await requireOwnDatabase(db, ledger.genesisHash, ledger.programAddress);
    await requireKeys(db, keyRing);
    const measured = { ...ledger, rpc: measureLedger(ledger.rpc, metrics, patience.givenUp) };
    const context: AppContext = {
      config,
      log,
      metrics,
      pool,
      db,
      patience,
      giveUp: () => givingUp.abort(new RelayError('not_ready', 'The service is stopping; try again in a moment.')),
      counts: keepCounts(db),
      limits: createLimits(config, log),
      nonces: new Batches((nonces) => spendNonces(db, nonces)),
      bids: new Batches((bids) => placeBids(context, bids)),
      artifacts: await openArtifacts(config),
      ledger: measured,
      decisionsSince: await takeOverIntents({ db, ledger, log }, new Date()),
      funds: watchFunds({ ledger: measured, config, log }),
      landing: new Set(),
      issuers: await openIssuers(db, ledger.coordinator.address),
      keyRing,
      publicUrl,
      shownLedger: { cluster: config.cluster, rpcUrl: config.rpcUrl, publicUrl },
      mcpUrl: `${config.mcpPublicUrl ?? publicUrl}/mcp`,
      clock: () => new Date(),
      handOff: new HandOff(wakers.outbox),
      numbered: new EventEmitter(),
      // As many as wait for one listing.
      mirrored: new EventEmitter().setMaxListeners(0),
      wakers,
    };
    return context;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
