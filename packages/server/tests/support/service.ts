import type { RelayLedger } from '@legwork/deploy';
import { createRelayClient, type RelayClient } from '@legwork/sdk';
import {
  createSolanaRpc,
  devnet,
  generateKeyPairSigner,
  lamports,
  type KeyPairSigner,
  type Rpc,
  type SolanaRpcApi,
} from '@solana/kit';
import { type DestinationStream, pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { type Config, loadConfig } from '../../src/config.js';
import { type AppContext, createContext } from '../../src/context.js';
import { connect, type Db } from '../../src/db/connect.js';
import { migrate } from '../../src/db/migrate.js';
import { type RunningServer, startServer } from '../../src/startServer.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { startTestLedger, type TestLedger } from './ledger.js';

/** Brings a database to the service's schema. */
export async function migrateAt(connectionString: string): Promise<void> {
  const db = connect(connectionString, 2, () => undefined);
  await migrate(db);
  await db.destroy();
}

type Environment = Record<string, string>;

/** How a service departs from the usual one of tests. */
export interface Departures {
  /** Environment variables, given the usual ones. */
  settings?: (usual: Environment) => Environment;
  /** Where its log goes. */
  logTo?: DestinationStream;
}

/** The environment of a service on this ledger and database, on any free port. */
function environmentOf(ledger: RelayLedger, database: TestDatabase): Environment {
  return {
    PORT: '0',
    DATABASE_URL: database.connectionString,
    SOLANA_RPC_URL: ledger.rpcUrl,
    SOLANA_WS_URL: ledger.wsUrl,
    RELAY_PROGRAM_ID: ledger.keypairs.program.signer.address,
    COORDINATOR_KEYPAIR: ledger.keypairs.coordinator.path,
    // Tests ask for more than a client may; those about limits set their own.
    LIMIT_TOOL_CALLS: '0',
    LIMIT_BIDS: '0',
    LIMIT_BIDS_PER_ADDRESS: '0',
    LIMIT_WRITES: '0',
    LIMIT_READS: '0',
    LIMIT_DRAFTS: '0',
    LIMIT_AIRDROPS: '0',
    SPONSOR_IP_SOL: '50',
  };
}

function configOf(ledger: RelayLedger, database: TestDatabase, settings?: Departures['settings']): Config {
  const usual = environmentOf(ledger, database);
  return loadConfig({ ...usual, LOG_LEVEL: 'silent', ...settings?.(usual) });
}

/** A wallet with a client that signs for it. */
export interface Party {
  signer: KeyPairSigner;
  pubkey: string;
  client: RelayClient;
}

/** A service on a ledger and a database of its own. */
export class TestService {
  readonly ledger: RelayLedger;
  readonly db: Db;
  readonly rpc: Rpc<SolanaRpcApi>;
  server: RunningServer;
  readonly #ledger: TestLedger;
  readonly #database: TestDatabase;
  readonly #departures: Departures;

  private constructor(
    parts: { ledger: TestLedger; database: TestDatabase; server: RunningServer },
    departures: Departures,
  ) {
    this.ledger = parts.ledger.ledger;
    this.server = parts.server;
    this.#ledger = parts.ledger;
    this.#database = parts.database;
    this.#departures = departures;
    this.db = connect(parts.database.connectionString, 4, () => undefined);
    this.rpc = createSolanaRpc(devnet(this.ledger.rpcUrl));
  }

  static async start(departures: Departures = {}): Promise<TestService> {
    const [ledger, database] = await Promise.all([startTestLedger(), createTestDatabase(migrateAt, 'service')]);
    const server = await TestService.serve(ledger.ledger, database, departures);
    return new TestService({ ledger, database, server }, departures);
  }

  static serve(
    ledger: RelayLedger,
    database: TestDatabase,
    { settings, logTo }: Departures = {},
  ): Promise<RunningServer> {
    return startServer(configOf(ledger, database, settings), logTo);
  }

  /** Stops the service as an operator would. Ledger and database stay. */
  stop(): Promise<void> {
    return this.server.close();
  }

  /** Starts it again on the same ledger and database. */
  async restart(): Promise<void> {
    this.server = await TestService.serve(this.ledger, this.#database, this.#departures);
  }

  /** What `legwork serve` needs to run on the same ledger and database, on any free port. */
  environment(): Environment {
    return environmentOf(this.ledger, this.#database);
  }

  /** What operations and workers work with, on the same ledger and database, with no worker running. */
  context(): Promise<AppContext> {
    return createContext(configOf(this.ledger, this.#database), this.server.url, pino({ level: 'silent' }));
  }

  /** Moves the ledger's clock, slots and block height forward. */
  async advanceTime(seconds: number): Promise<void> {
    const response = await fetch(this.ledger.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'relay_advanceTime', params: [{ seconds }] }),
    });
    const { error } = (await response.json()) as { error?: { message: string } };
    if (error) throw new Error(error.message);
  }

  /** A wallet to which the ledger gave so many SOL. */
  async party(sol = 2): Promise<Party> {
    const signer = await generateKeyPairSigner();
    const client = createRelayClient({ url: this.server.url, signer });
    if (sol > 0) await this.rpc.requestAirdrop(signer.address, lamports(BigInt(sol) * 1_000_000_000n)).send();
    return { signer, pubkey: signer.address, client };
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.db.destroy();
    await this.#ledger.close();
    await this.#database.drop();
  }
}

/** A service for the tests of the current file; there once they run. */
export function withService(departures?: Departures): { readonly current: TestService } {
  let service: TestService | undefined;
  beforeAll(async () => {
    service = await TestService.start(departures);
  });
  afterAll(() => service?.close());
  return {
    get current() {
      if (!service) throw new Error('The service is there only while tests and hooks run.');
      return service;
    },
  };
}
