import { EventEmitter } from 'node:events';
import { LegworkError } from '@legwork/protocol/contract';
import type { Logger } from 'pino';
import { createLimits } from './api/limits.js';
import { openArtifacts } from './artifacts/artifacts.js';
import { Batches } from './batches.js';
import { placeBids } from './bids/place.js';
import type { Config } from './config.js';
import type { AppContext, Wakers } from './context.js';
import { watchFunds } from './coordinator/funds.js';
import { takeOverIntents } from './coordinator/takeOver.js';
import { connect, type Db, openPool, overPool, type Patience } from './db/connect.js';
import { keepCounts } from './db/counts.js';
import { KeyRing, requireKeys } from './db/keyRing.js';
import { assetsListed } from './db/listings.js';
import { migrate, readMeta, requireOwnDatabase } from './db/migrate.js';
import { NewerSchemaError, OldPostgresError, SharedSessionError, UnreachableError } from './errors.js';
import { isDatabaseUnavailable, unreachable } from './faults.js';
import { openIssuers } from './identity/credentials.js';
import { spendNonces } from './identity/nonces.js';
import type { Certificate } from './http/certificate.js';
import { connectLedger, type Ledger } from './ledger/ledger.js';
import { Waker } from './loop.js';
import { createMetrics, measureLedger, type Metrics } from './metrics/metrics.js';
import { HandOff } from './outbox/handOff.js';
import { Lead } from './mirror/lead.js';
import { noteBeginning } from './mirror/rebuild.js';
import { saying } from './starting.js';
import type { Tracing } from './tracing/spans.js';
import { openTargets } from './webhooks/targets.js';

/** What is known of transactions on their way, and of who follows them, before there are any. */
export const nothingUnderWay = (db: Db): Pick<AppContext, 'landing' | 'following' | 'lead'> => ({
  lead: new Lead(db),
  landing: new Set(),
  following: new Map(),
});

export function createWakers(): Wakers {
  return {
    evaluator: new Waker(),
    keeper: new Waker(),
    outbox: new Waker(),
    sequencer: new Waker(),
    taskClaims: new Waker(),
    webhooks: new Waker(),
  };
}

/** A query may wait in line for a package for as long as a search for the best chain takes, and so much longer, milliseconds. */
const QUERY_MS = 5_000;

/** However long it takes: a large table, or another replica that is at it. */
async function bringUpToDate(config: Config, say: (line: string) => void): Promise<void> {
  const db = connect(config.databaseUrl, 2, () => undefined);
  try {
    await migrate(db, say);
  } catch (error) {
    const isPlain = [NewerSchemaError, OldPostgresError, SharedSessionError].some((known) => error instanceof known);
    throw isPlain ? error : new UnreachableError('database', error, isDatabaseUnavailable(error));
  } finally {
    await db.destroy();
  }
}

/** Loaded only for a service that traces. Rule S-270. */
async function tracingOf({ tracing }: Config, log: Logger, metrics: Metrics): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined;
  const { openTracing } = await import('./tracing/export.js');
  return openTracing(tracing, log, metrics);
}

/** Notes that database and ledger belong together, and when that began, unless it is known. @throws ForeignDatabaseError */
async function belongTogether(db: Db, ledger: Ledger): Promise<void> {
  const isNew = (await readMeta(db, 'genesis_hash')) === undefined;
  await requireOwnDatabase(db, ledger.genesisHash, ledger.programAddress);
  await noteBeginning({ db, ledger }, isNew);
}

/**
 * Wires the parts together: the database brought up to date, the ledger connected, the two known to belong together.
 * Nothing runs yet. Its creator ends it with `context.db.destroy()`.
 *
 * @throws ForeignDatabaseError, NewerSchemaError, OldPostgresError, SharedSessionError, UnreachableError, ConfigError
 */
export async function createContext(
  config: Config,
  publicUrl: string,
  log: Logger,
  certificate?: Certificate,
  tell?: (line: string) => void,
): Promise<AppContext> {
  await bringUpToDate(config, saying({ log, tell }));
  const givingUp = new AbortController();
  const patience: Patience = { queryMs: QUERY_MS + config.optimizerTimeMs, givenUp: givingUp.signal };
  const lost = (error: Error) => log.warn({ err: error }, 'idle connection lost');
  const pool = openPool(config.databaseUrl, config.databasePool, lost, patience.queryMs);
  const keyRing = config.personalDataKeys === undefined ? undefined : await KeyRing.open(config.personalDataKeys);
  const db = overPool(pool, { givenUp: patience.givenUp, keyRing });
  const metrics = createMetrics();
  const wakers = createWakers();
  try {
    const ledger = await connectLedger(config, await assetsListed(db));
    await belongTogether(db, ledger);
    await requireKeys(db, keyRing);
    const measured = { ...ledger, rpc: measureLedger(ledger.rpc, metrics, patience.givenUp) };
    const context: AppContext = {
      config,
      log,
      metrics,
      tracing: await tracingOf(config, log, metrics),
      pool,
      db,
      patience,
      giveUp: () => givingUp.abort(new LegworkError('not_ready', 'The service is stopping; try again in a moment.')),
      counts: keepCounts(db),
      limits: createLimits(config, log),
      nonces: new Batches((nonces) => spendNonces(db, nonces)),
      bids: new Batches((bids) => placeBids(context, bids)),
      artifacts: await openArtifacts(config),
      targets: openTargets({ ...config, publicUrl }),
      ledger: measured,
      decisionsSince: await takeOverIntents({ db, ledger, log }, new Date()),
      funds: watchFunds({ ledger: measured, config, log }),
      ...nothingUnderWay(db),
      issuers: await openIssuers(db, ledger.coordinator.address),
      keyRing,
      publicUrl,
      certificate,
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
    throw unreachable(error);
  }
}
