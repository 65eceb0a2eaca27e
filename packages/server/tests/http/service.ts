import { SOL_ALONE } from '../../src/ledger/assets.js';
import { EventEmitter } from 'node:events';
import { createSecretKey, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import {
  createNonce,
  createRequestSigner,
  operations,
  type RequestSigner,
  type SignedHeaders,
  signRequest,
  toLamports,
} from '@legwork/protocol/contract';
import { DEFAULT_CLAIM_WINDOW } from '@legwork/protocol/rules';
import { address, generateKeyPairSigner } from '@solana/kit';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { watchFunds } from '../../src/coordinator/funds.js';
import { createLedgerRpc } from '@legwork/program-client/history';
import type { Config } from '../../src/config.js';
import type { AppContext } from '../../src/context.js';
import { createWakers, nothingUnderWay } from '../../src/createContext.js';
import { connect, type Db, openPool, overPool } from '../../src/db/connect.js';
import { keepBlockhashes, keepPrices } from '../../src/ledger/kept.js';
import { Waker } from '../../src/loop.js';
import { HandOff } from '../../src/outbox/handOff.js';
import { keepPayable } from '../../src/ledger/ledger.js';
import { keepCounts } from '../../src/db/counts.js';
import { migrate } from '../../src/db/migrate.js';
import { spendNonces } from '../../src/identity/nonces.js';
import { openCertificate } from '../../src/http/certificate.js';
import { buildHttp, drainHttp } from '../../src/http/httpServer.js';
import { openArtifacts } from '../../src/artifacts/artifacts.js';
import { createLimits } from '../../src/api/limits.js';
import { placeBids } from '../../src/bids/place.js';
import { Batches } from '../../src/batches.js';
import { serveTools } from '../../src/mcp/marketOffer.js';
import { createMetrics } from '../../src/metrics/metrics.js';
import { openTargets } from '../../src/webhooks/targets.js';
import type { Runs } from '../../src/operations/index.js';

export const PUBLIC_HOST = 'relay.example';
/** No limits at all. */
export const UNLIMITED: Config['limits'] = {
  toolCalls: 0,
  bids: 0,
  bidsPerAddress: 0,
  writes: 0,
  parts: 0,
  reads: 0,
  drafts: 0,
  airdrops: 0,
};
const ONE_SOL = toLamports(1_000_000_000n);

/** Configuration of a service whose ledger nobody asks anything, without limits unless a test sets its own. */
export function testConfig(databaseUrl: string, departures: Partial<Config> = {}): Config {
  return {
    host: '127.0.0.1',
    port: 0,
    publicUrl: `https://${PUBLIC_HOST}`,
    httpsFolder: undefined,
    rebuild: 'none',
    operators: [],
    operationsPublic: false,
    assets: [],
    databaseUrl,
    databasePool: 10,
    startWaitMs: 0,
    rpcUrl: 'http://127.0.0.1:1',
    rpcSubscriptionsUrl: 'ws://127.0.0.1:2',
    cluster: 'localnet',
    programId: 'Stake11111111111111111111111111111111111111',
    coordinatorKeypair: 'unused',
    arbiterPubkey: undefined,
    personalDataKeys: undefined,
    personalDataDays: 30,
    logLevel: 'silent',
    tracing: undefined,
    metrics: undefined,
    mcpPublicUrl: undefined,
    trustProxy: [],
    securityContact: undefined,
    corsOrigins: [],
    limits: UNLIMITED,
    eventSocketsPerAddress: 0,
    webhooks: { targets: 'public', perKey: 20, perAddress: 100 },
    artifacts: {
      s3: undefined,
      folder: undefined,
      reserveBytes: 0,
      limits: { file: 0, task: 0, agent: 0, address: 0 },
    },
    unsignedCalls: 'newcomers',
    apiKeys: [],
    sponsorCaps: { task: ONE_SOL, poster: ONE_SOL, ip: ONE_SOL, day: ONE_SOL, outstanding: ONE_SOL },
    coordinatorReserve: ONE_SOL,
    newcomerBudgets: { address: ONE_SOL, day: ONE_SOL },
    feeBudgets: { key: ONE_SOL, address: ONE_SOL, day: ONE_SOL },
    waitingLegs: 0,
    newcomerPrior: 50,
    optimizerTimeMs: 1000,
    airdrop: false,
    adminKey: undefined,
    claimWindow: DEFAULT_CLAIM_WINDOW,
    ...departures,
  };
}

/** A context on a real database. `logged` collects what the service logs. */
export async function testContext(
  databaseUrl: string,
  logged: string[] = [],
  departures: Partial<Config> = {},
): Promise<AppContext> {
  const config = testConfig(databaseUrl, departures);
  const coordinator = await generateKeyPairSigner();
  const pool = openPool(databaseUrl, 10, () => undefined);
  const db = overPool(pool);
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(line) });
  const rpc = createLedgerRpc(config.rpcUrl);
  const ledger = {
    rpc,
    blockhashes: keepBlockhashes(rpc),
    prices: keepPrices(rpc, coordinator.address),
    payable: keepPayable(),
    programAddress: address(config.programId),
    configAddress: address(config.programId),
    authority: address(config.programId),
    assets: SOL_ALONE,
    coordinator,
    decisionKey: createSecretKey(randomBytes(32)),
    genesisHash: 'unused',
    rentExemptMinimum: toLamports(890_880n),
  };
  const publicUrl = config.publicUrl ?? `https://${PUBLIC_HOST}`;
  const context: AppContext = {
    config,
    log,
    metrics: createMetrics(),
    tracing: undefined,
    pool,
    db,
    patience: { queryMs: 60_000, givenUp: new AbortController().signal },
    giveUp: () => undefined,
    counts: keepCounts(db),
    limits: createLimits(config, log),
    nonces: new Batches((nonces) => spendNonces(db, nonces)),
    bids: new Batches((bids) => placeBids(context, bids)),
    artifacts: await openArtifacts(config),
    targets: openTargets({ ...config, publicUrl: config.publicUrl ?? `https://${PUBLIC_HOST}` }),
    ledger,
    decisionsSince: new Date(0),
    funds: watchFunds({ ledger, config, log }),
    keyRing: undefined,
    issuers: { has: () => false, read: () => Promise.resolve([]) },
    publicUrl,
    certificate: config.httpsFolder === undefined ? undefined : await openCertificate(config.httpsFolder, new Date()),
    shownLedger: { cluster: config.cluster, rpcUrl: config.rpcUrl, publicUrl },
    mcpUrl: `${config.mcpPublicUrl ?? publicUrl}/mcp`,
    clock: () => new Date(),
    ...nothingUnderWay(db),
    handOff: new HandOff(new Waker()),
    numbered: new EventEmitter(),
    mirrored: new EventEmitter(),
    wakers: createWakers(),
  };
  return context;
}

/** Implementations for tests: those not given fail loudly. */
export function runsWith(given: Partial<Runs>): Runs {
  const missing = () => Promise.reject(new Error('this test gave no implementation of the operation'));
  const all = Object.fromEntries(Object.keys(operations).map((name) => [name, missing]));
  return { ...all, ...given } as unknown as Runs;
}

export interface TestService {
  url: string;
  port: number;
  app: FastifyInstance;
  context: AppContext;
  logged: string[];
  close(): Promise<void>;
}

/** The real HTTP side on a free port. @param serve what it serves to models, the market's tools unless told */
export async function startService(
  databaseUrl: string,
  runs: Partial<Runs>,
  departures: Partial<Config> = {},
  serve: (app: FastifyInstance, context: AppContext, runs: Runs) => Promise<void> = serveTools,
): Promise<TestService> {
  const logged: string[] = [];
  const context = await testContext(databaseUrl, logged, departures);
  const given = runsWith(runs);
  const app = await buildHttp(context, given);
  await serve(app, context, given);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return {
    url,
    port,
    app,
    context,
    logged,
    close: async () => {
      await drainHttp(app);
      await context.db.destroy();
    },
  };
}

/** A new agent's key. */
export function newSigner(): RequestSigner {
  return createRequestSigner(crypto.getRandomValues(new Uint8Array(32)));
}

export interface ToSign {
  method?: string;
  host?: string;
  path?: string;
  body?: string;
  nonce?: string;
  signer?: RequestSigner;
}

/** Signs a POST to `/bids` unless told otherwise. */
export function headersFor(service: TestService, given: ToSign): Promise<SignedHeaders> {
  const { method = 'POST', host = new URL(service.url).host, path = '/bids', body = '' } = given;
  return signRequest(given.signer ?? newSigner(), { method, host, path, body }, given.nonce ?? createNonce(Date.now()));
}

/** Everything a refused request must leave alone. */
export async function rowsOf(db: Db): Promise<Record<string, bigint | undefined>> {
  const count = async (table: 'agents' | 'bids' | 'nonces' | 'packages' | 'events' | 'outbox') => {
    const row = await db
      .selectFrom(table)
      .select((select) => select.fn.countAll<bigint>().as('rows'))
      .executeTakeFirst();
    return row?.rows;
  };
  return {
    agents: await count('agents'),
    bids: await count('bids'),
    nonces: await count('nonces'),
    packages: await count('packages'),
    events: await count('events'),
    outbox: await count('outbox'),
  };
}

/** Brings a new test database to the service's schema. */
export async function migrateDatabase(connectionString: string): Promise<void> {
  const db = connect(connectionString, 2, () => undefined);
  await migrate(db);
  await db.destroy();
}
